// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace temper {

/// Element types; the numbers are those of ONNX's TensorProto.DataType and of ORT's checkpoints.
enum class DType : int32_t {
    Undefined = 0,
    Float32 = 1,
    UInt8 = 2,
    Int8 = 3,
    UInt16 = 4,
    Int16 = 5,
    Int32 = 6,
    Int64 = 7,
    String = 8,
    Bool = 9,
    Float16 = 10,
    Float64 = 11,
    UInt32 = 12,
    UInt64 = 13,
    Complex64 = 14,
    Complex128 = 15,
    BFloat16 = 16,
    // Smaller than two bytes: a byte each in memory, packed in files (engine/core/small_types.h).
    Float8E4M3FN = 17,
    Float8E4M3FNUZ = 18,
    Float8E5M2 = 19,
    Float8E5M2FNUZ = 20,
    UInt4 = 21,
    Int4 = 22,
    Float4E2M1 = 23,
    Float8E8M0 = 24,
    UInt2 = 25,
    Int2 = 26,
    Float6E2M3 = 27,
    Float6E3M2 = 28,
};

/// Bytes of one element in memory; 0 for Undefined. For a String, the bytes of the view of its
/// characters.
size_t dtypeSize(DType dtype);

/// "float32", "int64", "bool", ... as in `inspect --json`.
std::string_view dtypeName(DType dtype);

/// The inverse of dtypeName().
std::optional<DType> dtypeFromName(std::string_view name);

/// Float16, BFloat16, Float32, Float64: the types that carry gradients.
bool isFloating(DType dtype);

/// Signed and unsigned integers, not Bool.
bool isInteger(DType dtype);

template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
    static constexpr DType value = DType::Float32;
};
template <>
struct DTypeOf<double> {
    static constexpr DType value = DType::Float64;
};
template <>
struct DTypeOf<int8_t> {
    static constexpr DType value = DType::Int8;
};
template <>
struct DTypeOf<int16_t> {
    static constexpr DType value = DType::Int16;
};
template <>
struct DTypeOf<int32_t> {
    static constexpr DType value = DType::Int32;
};
template <>
struct DTypeOf<int64_t> {
    static constexpr DType value = DType::Int64;
};
template <>
struct DTypeOf<uint8_t> {
    static constexpr DType value = DType::UInt8;
};
template <>
struct DTypeOf<uint16_t> {
    static constexpr DType value = DType::UInt16;
};
template <>
struct DTypeOf<uint32_t> {
    static constexpr DType value = DType::UInt32;
};
template <>
struct DTypeOf<uint64_t> {
    static constexpr DType value = DType::UInt64;
};
template <>
struct DTypeOf<bool> {
    static constexpr DType value = DType::Bool;
};

template <typename T>
inline constexpr DType kDTypeOf = DTypeOf<T>::value;

}  // namespace temper
