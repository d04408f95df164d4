// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/dtype.h"
#include "engine/core/tensor.h"

namespace temper {

// Element types below 16 bits. In memory every element is a byte: for integers the number itself
// (int4 and int2 with its sign), for the others their code in the lowest bits.

/// What numbers beyond the largest one become, and how float8e8m0 is rounded.
struct SmallRounding {
    enum class Mode { Up, Down, Nearest };

    bool saturates = true;  ///< the largest one; else infinity, or NaN if there is none
    Mode mode = Mode::Up;   ///< float8e8m0 only; others round to nearest, ties to even
};

/// float8, float6, float4.
bool isSmallFloat(DType dtype);
/// int4, uint4, int2, uint2.
bool isSmallInteger(DType dtype);
inline bool isSmall(DType dtype) { return isSmallFloat(dtype) || isSmallInteger(dtype); }

/// The smallest and the largest number of a small integer type.
struct SmallRange {
    int64_t low = 0;
    int64_t high = 0;
};
SmallRange smallRange(DType dtype);

/// The number that a code of a small floating-point type stands for, exact.
/// Source: Open Compute Project, OCP Microscaling Formats (MX), version 1.0; ONNX, docs/docsgen,
/// "Float stored in 8 bits".
float floatFromCode(DType dtype, uint8_t code);
uint8_t codeFromFloat(DType dtype, float number, const SmallRounding& rounding = {});
/// A small integer, as stored in memory, from the lowest bits of a number.
uint8_t codeFromInteger(DType dtype, int64_t number);
/// The same from a number truncated to an integer, as in ONNX's tests of Cast; 0 for NaN.
uint8_t codeFromReal(DType dtype, double number);

/// The numbers that all 256 bytes stand for as elements in memory.
std::vector<float> numbersByCode(DType dtype);

/// A tensor of a small type as float32 or, for integers, as int8 or uint8.
Tensor fromSmall(const Tensor& tensor);
/// The inverse, from float32 or integers.
Tensor toSmall(const Tensor& tensor, DType dtype, const SmallRounding& rounding = {});

/// Bits of one element in a file: 2, 4, 6 or 8 times its bytes in memory.
size_t storedBits(DType dtype);
/// Bytes of `count` elements in a file, which packs them.
size_t storedBytes(DType dtype, size_t count);
/// Elements as stored in a file, the first ones in the lowest bits.
std::vector<std::byte> packed(const Tensor& tensor);
/// The inverse. `bytes` has storedBytes() elements.
Tensor unpacked(DType dtype, Shape shape, std::span<const std::byte> bytes);

}  // namespace temper
