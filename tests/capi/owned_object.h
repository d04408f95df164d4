// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace temper::test {

/// An object of a C interface, which functions write through out(). `Releaser` gives it back.
template <typename T, typename Releaser>
class OwnedObject {
public:
    OwnedObject() = default;
    OwnedObject(OwnedObject&& other) noexcept : object_(other.take()) {}
    OwnedObject& operator=(OwnedObject&&) = delete;
    ~OwnedObject() { get(); }

    T** out() {
        object_.reset();
        return &raw_;
    }
    /// The object, which is ours from now on.
    T* get() {
        if (raw_ != nullptr) object_.reset(std::exchange(raw_, nullptr));
        return object_.get();
    }
    operator T*() { return get(); }  // NOLINT(google-explicit-constructor)
    void release() {
        get();
        object_.reset();
    }

private:
    T* take() {
        get();
        return object_.release();
    }

    T* raw_ = nullptr;
    std::unique_ptr<T, Releaser> object_;
};

}  // namespace temper::test
