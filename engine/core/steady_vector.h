// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace temper {

/// A sequence that grows at its end and never moves an element: pointers to them stay valid as long
/// as it lives, even if its owner changes. Elements are in blocks, each twice as large as the one
/// before it.
template <typename T>
class SteadyVector {
public:
    SteadyVector() = default;
    SteadyVector(SteadyVector&& other) noexcept { swap(other); }
    SteadyVector& operator=(SteadyVector&& other) noexcept {
        SteadyVector(std::move(other)).swap(*this);
        return *this;
    }
    SteadyVector(const SteadyVector&) = delete;
    SteadyVector& operator=(const SteadyVector&) = delete;
    ~SteadyVector() {
        for (size_t i = 0; i < size_; ++i) std::destroy_at(&(*this)[i]);
        for (size_t i = 0; i < kBlocks && blocks_[i] != nullptr; ++i) {
            Allocator().deallocate(blocks_[i], sizeOf(i));
        }
    }

    template <typename... Arguments>
    T& emplaceBack(Arguments&&... arguments) {
        const Place place = placeOf(size_);
        T*& block = blocks_[place.block];
        if (block == nullptr) block = Allocator().allocate(sizeOf(place.block));
        T* made = std::construct_at(block + place.offset, std::forward<Arguments>(arguments)...);
        ++size_;
        return *made;
    }

    size_t size() const { return size_; }
    T& operator[](size_t i) { return *addressOf(i); }
    const T& operator[](size_t i) const { return *addressOf(i); }

private:
    using Allocator = std::allocator<T>;
    struct Place {
        size_t block;
        size_t offset;
    };
    static constexpr size_t kFirst = 8;  ///< elements of the first block
    static constexpr size_t kBlocks = 40;

    static constexpr size_t sizeOf(size_t block) { return kFirst << block; }
    static Place placeOf(size_t i) {
        const auto block = static_cast<size_t>(std::bit_width(i / kFirst + 1)) - 1;
        return {block, i + kFirst - sizeOf(block)};
    }
    T* addressOf(size_t i) const {
        const Place place = placeOf(i);
        return blocks_[place.block] + place.offset;
    }
    void swap(SteadyVector& other) noexcept {
        std::swap(blocks_, other.blocks_);
        std::swap(size_, other.size_);
    }

    std::array<T*, kBlocks> blocks_{};
    size_t size_ = 0;
};

}  // namespace temper
