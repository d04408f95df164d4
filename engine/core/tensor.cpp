// SPDX-License-Identifier: Apache-2.0
#include "engine/core/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "engine/core/counted.h"
#include "engine/core/half.h"
#include "engine/core/process_memory.h"
#include "engine/core/saturated_cast.h"
#include "engine/core/small_types.h"
#include "engine/core/string_tensor.h"

namespace temper {
namespace {

bool isHalf(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

Tensor widened(const Tensor& half) {
    Tensor result(DType::Float32, half.shape());
    const auto* from = reinterpret_cast<const uint16_t*>(half.data());
    std::transform(from, from + half.numElements(), result.mutableValues<float>().begin(),
                   half.dtype() == DType::Float16 ? floatFromHalf : floatFromBFloat16);
    return result;
}

Tensor narrowed(const Tensor& wide, DType dtype) {
    Tensor result(dtype, wide.shape());
    const auto from = wide.values<float>();
    std::transform(from.begin(), from.end(), reinterpret_cast<uint16_t*>(result.mutableData()),
                   dtype == DType::Float16 ? halfFromFloat : bfloat16FromFloat);
    return result;
}

template <typename To, typename From>
To converted(From value) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> &&
                  !std::is_same_v<To, bool>) {
        return saturatedCast<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

constexpr size_t kAlignment = 64;
constexpr size_t kLargePage = 2 << 20;

/// Asks the system for large pages if they fit: kernels walk through large arrays at many places at
/// a time, more than the processor keeps addresses of small pages for. It may decline.
void preferLargePages(void* block, size_t bytes) {
    void* data = block;
    if (std::align(kLargePage, kLargePage, data, bytes) != nullptr)
        ::madvise(data, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
}

}  // namespace

// The system provides large blocks as zeros already: untouched parts take no memory.
std::shared_ptr<std::byte> allocateAligned(size_t bytes) {
    size_t space = 0;
    bool isTooLarge = __builtin_add_overflow(std::max<size_t>(bytes, 1), kAlignment, &space);
    isTooLarge |= space > kLargePage && space > memoryLimit();
    void* const block = isTooLarge ? nullptr : std::calloc(space, 1);
    if (block == nullptr) {
        throw Error(ErrorCode::Io,
                    "Out of memory: " + counted(bytes, "byte") + " could not be allocated.",
                    "Use a smaller batch or close other programs.");
    }
    preferLargePages(block, space);
    void* data = block;
    std::align(kAlignment, bytes, data, space);
    return {static_cast<std::byte*>(data), [block](std::byte*) { std::free(block); }};
}

static size_t bytesOf(DType dtype, const Shape& shape) {
    int64_t bytes = 0;
    const bool isTooLarge = __builtin_mul_overflow(temper::numElements(shape),
                                                   static_cast<int64_t>(dtypeSize(dtype)), &bytes);
    if (!isTooLarge) return static_cast<size_t>(bytes);
    throw Error(ErrorCode::InvalidInput,
                "A tensor of shape " + formatShape(shape) + " is larger than 2^63 bytes.");
}

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), count_(temper::numElements(shape_)) {
    std::shared_ptr<std::byte> buffer = allocateAligned(bytesOf(dtype, shape_));
    data_ = buffer.get();
    owner_ = std::move(buffer);
}

Tensor::Tensor(DType dtype, Shape shape, std::shared_ptr<DeviceMemory> memory) {
    if (memory == nullptr) {
        *this = Tensor(dtype, std::move(shape));
        return;
    }
    if (dtype == DType::String)
        throw Error(
            ErrorCode::Unsupported,
            "A string tensor of shape " + formatShape(shape) + " can't be stored in device memory.",
            kChooseHostMemory);
    std::shared_ptr<std::byte> buffer = memory->allocate(bytesOf(dtype, shape));
    std::byte* const data = buffer.get();
    *this = wrap(dtype, std::move(shape), std::move(buffer), data, std::move(memory));
}

Tensor Tensor::wrap(DType dtype, Shape shape, std::shared_ptr<const void> owner, void* data,
                    std::shared_ptr<DeviceMemory> memory) {
    Tensor tensor;
    tensor.dtype_ = dtype;
    tensor.count_ = temper::numElements(shape);
    tensor.shape_ = std::move(shape);
    tensor.data_ = static_cast<std::byte*>(data);
    tensor.owner_ = std::move(owner);
    tensor.memory_ = std::move(memory);
    return tensor;
}

void Tensor::assign(const Tensor& from) {
    TEMPER_ASSERT(dtype_ == from.dtype_ && count_ == from.count_, "both are of the same type");
    const size_t bytes = byteSize();
    if (bytes == 0) return;
    if (isOnHost() && from.isOnHost()) {
        std::memcpy(data_, from.data_, bytes);
    } else if (isOnHost()) {
        from.memory_->copyToHost(data_, from.data_, bytes);
    } else if (from.memory_ == memory_) {
        memory_->copy(data_, from.data_, bytes);
    } else {
        memory_->copyFromHost(data_, from.onHost().data_, bytes);
    }
}

Tensor Tensor::in(const std::shared_ptr<DeviceMemory>& memory) const {
    if (memory_ == memory || empty()) return *this;
    Tensor copy(dtype_, shape_, memory);
    copy.assign(*this);
    return copy;
}

Tensor Tensor::duplicate() const {
    if (isOnHost()) return clone();
    Tensor copy(dtype_, shape_, memory_);
    copy.assign(*this);
    return copy;
}

Tensor Tensor::clone() const {
    if (empty()) return {};
    if (!isOnHost()) return onHost();
    if (dtype_ == DType::String) return stringTensor(shape_, values<std::string_view>());
    Tensor copy(dtype_, shape_);
    if (byteSize() > 0) std::memcpy(copy.data_, data_, byteSize());
    return copy;
}

Tensor Tensor::reshaped(Shape shape) const {
    TEMPER_ASSERT(temper::numElements(shape) == count_, "a reshape keeps the number of elements");
    Tensor result = *this;
    result.shape_ = std::move(shape);
    return result;
}

Tensor Tensor::cast(DType dtype) const {
    if (!isOnHost()) return onHost().cast(dtype);
    if (dtype == dtype_) return *this;
    if (isHalf(dtype_)) return widened(*this).cast(dtype);
    if (isHalf(dtype)) return narrowed(cast(DType::Float32), dtype);
    if (isSmall(dtype_)) return fromSmall(*this).cast(dtype);
    if (isSmall(dtype)) return toSmall(isFloating(dtype_) ? cast(DType::Float32) : *this, dtype);
    Tensor result(dtype, shape_);
    visitDType(dtype_, [&]<typename From>() {
        const std::span<const From> from = values<From>();
        visitDType(dtype, [&]<typename To>() {
            std::transform(from.begin(), from.end(), result.mutableValues<To>().begin(),
                           converted<To, From>);
        });
    });
    return result;
}

static void requireOneElement(const Tensor& tensor) {
    if (tensor.numElements() == 1) return;
    throw Error(ErrorCode::InvalidInput, "A tensor of shape " + formatShape(tensor.shape()) +
                                             " was found; expected a single number.");
}

double Tensor::toDouble() const {
    requireOneElement(*this);
    if (!isOnHost()) return onHost().toDouble();
    if (isHalf(dtype_)) return widened(*this).toDouble();
    if (isSmall(dtype_)) return fromSmall(*this).toDouble();
    return visitDType(dtype_, [&]<typename T>() { return static_cast<double>(values<T>()[0]); });
}

int64_t Tensor::toInt64() const {
    requireOneElement(*this);
    if (!isOnHost()) return onHost().toInt64();
    if (isSmall(dtype_)) return fromSmall(*this).toInt64();
    return visitDType(dtype_, [&]<typename T>() { return converted<int64_t>(values<T>()[0]); });
}

void Tensor::checkType(DType wanted) const {
    requireHost();
    if (wanted == dtype_) return;
    throw Error(ErrorCode::Internal, "A tensor holds " + std::string(dtypeName(dtype_)) +
                                         " but was read as " + std::string(dtypeName(wanted)) +
                                         ".");
}

}  // namespace temper
