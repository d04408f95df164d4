// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/core/device_memory.h"
#include "engine/core/dtype.h"
#include "engine/core/error.h"
#include "engine/core/shape.h"

namespace temper {

/// Bytes aligned to 64, zero-initialised, freed with the last owner.
/// Throws: Error(Io) naming the size if memory is not available.
std::shared_ptr<std::byte> allocateAligned(size_t bytes);

/// A dense row-major array with an element type and a shape.
///
/// Copying a Tensor shares its data (as torch and NumPy do); clone() copies it. The data is in the
/// host's memory or in that of a device, where only the device's work reads and writes it.
/// Thread: like a shared_ptr; the caller has to avoid concurrent writes to the data.
class Tensor {
public:
    /// No dtype, no data: dtype() is Undefined, empty() is true.
    Tensor() = default;

    /// Zero-filled. Throws: Error(InvalidInput) for negative or overflowing shapes.
    Tensor(DType dtype, Shape shape);

    /// The same in a device's memory; null: the host's. String tensors are in the host's memory
    /// only.
    Tensor(DType dtype, Shape shape, std::shared_ptr<DeviceMemory> memory);

    /// Uses memory that another object owns, e.g. a mapped file; `owner` is held as long as needed.
    static Tensor wrap(DType dtype, Shape shape, std::shared_ptr<const void> owner, void* data,
                       std::shared_ptr<DeviceMemory> memory = nullptr);

    template <typename T>
    static Tensor of(Shape shape, std::span<const T> values);
    template <typename T>
    static Tensor of(Shape shape, std::initializer_list<T> values) {
        return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
    }
    template <typename T>
    static Tensor scalar(T value) {
        return of<T>({}, std::span<const T>(&value, 1));
    }

    bool empty() const { return dtype_ == DType::Undefined; }
    DType dtype() const { return dtype_; }
    const Shape& shape() const { return shape_; }
    int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
    int64_t numElements() const { return count_; }
    size_t byteSize() const { return static_cast<size_t>(count_) * dtypeSize(dtype_); }

    bool isOnHost() const { return memory_ == nullptr; }
    /// Null: the host's.
    const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
    /// The address of the data, in whichever memory.
    std::byte* address() const { return data_; }
    /// This tensor if its data is in that memory, else a copy there.
    Tensor in(const std::shared_ptr<DeviceMemory>& memory) const;
    Tensor onHost() const { return in(nullptr); }
    /// Overwrites the data with that of a tensor of the same type and shape, wherever the two are.
    void assign(const Tensor& from);

    /// Throws: Error(Internal) if the data is a device's.
    const std::byte* data() const {
        requireHost();
        return data_;
    }
    std::byte* mutableData() {
        requireHost();
        return data_;
    }

    /// The elements. Throws: Error(Internal) if T is not the dtype, or the data is a device's.
    template <typename T>
    std::span<const T> values() const {
        checkType(kDTypeOf<T>);
        return {reinterpret_cast<const T*>(data_), static_cast<size_t>(count_)};
    }
    template <typename T>
    std::span<T> mutableValues() {
        checkType(kDTypeOf<T>);
        return {reinterpret_cast<T*>(data_), static_cast<size_t>(count_)};
    }

    /// A copy in the host's memory.
    Tensor clone() const;
    /// A copy in the same memory.
    Tensor duplicate() const;

    /// The same data under another shape with the same number of elements.
    Tensor reshaped(Shape shape) const;

    /// Elements converted by static_cast (bool: != 0); half precision via float32, rounded to
    /// nearest. Floating-point numbers outside an integer type's range become the nearest one in
    /// it, and NaN 0. Throws: Error(Unsupported) for types that are not numeric.
    Tensor cast(DType dtype) const;

    /// The number in an integer or floating-point scalar or one-element tensor, as double / int64.
    double toDouble() const;
    int64_t toInt64() const;

private:
    void checkType(DType wanted) const;
    void requireHost() const {
        TEMPER_ASSERT(memory_ == nullptr, "the host reads and writes its own memory only");
    }

    DType dtype_ = DType::Undefined;
    Shape shape_;
    int64_t count_ = 0;
    std::byte* data_ = nullptr;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<DeviceMemory> memory_;
};

/// Sets a tensor of one element, wherever it is.
template <typename T>
void setScalar(Tensor& tensor, T value) {
    if (tensor.isOnHost()) {
        tensor.mutableValues<T>()[0] = value;
    } else {
        tensor.assign(Tensor::of<T>(tensor.shape(), {value}));
    }
}

/// Calls f with a value of the C++ type of `dtype`: `visitDType(t, [&]<typename T>() { ... })`.
/// Throws: Error(Unsupported) for types without a C++ type (float16, bfloat16, string, complex).
template <typename F>
decltype(auto) visitDType(DType dtype, F&& f) {
    switch (dtype) {
        case DType::Float32: return f.template operator()<float>();
        case DType::Float64: return f.template operator()<double>();
        case DType::Int8: return f.template operator()<int8_t>();
        case DType::Int16: return f.template operator()<int16_t>();
        case DType::Int32: return f.template operator()<int32_t>();
        case DType::Int64: return f.template operator()<int64_t>();
        case DType::UInt8: return f.template operator()<uint8_t>();
        case DType::UInt16: return f.template operator()<uint16_t>();
        case DType::UInt32: return f.template operator()<uint32_t>();
        case DType::UInt64: return f.template operator()<uint64_t>();
        case DType::Bool: return f.template operator()<bool>();
        default: break;
    }
    throw Error(ErrorCode::Unsupported,
                "Element type " + std::string(dtypeName(dtype)) + " is not supported here.");
}

template <typename T>
Tensor Tensor::of(Shape shape, std::span<const T> values) {
    Tensor tensor(kDTypeOf<T>, std::move(shape));
    TEMPER_ASSERT(tensor.numElements() == static_cast<int64_t>(values.size()),
                  "the values fill the shape");
    std::copy(values.begin(), values.end(), tensor.mutableValues<T>().begin());
    return tensor;
}

}  // namespace temper
