// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/core/dtype.h"
#include "engine/core/shape.h"

namespace temper {

/// The header of an NPY file.
/// Source: NumPy, doc/neps/nep-0001-npy-format.rst.
struct NpyHeader {
    DType dtype = DType::Undefined;
    size_t swapUnit = 1;  ///< bytes to reverse together; 1 if the order is native
    bool fortranOrder = false;
    Shape shape;
    size_t dataOffset = 0;
};

/// Reads the header of format version 1, 2 or 3.
/// Throws: Error(InvalidInput), or Error(Unsupported) for element types that are not numbers.
NpyHeader parseNpyHeader(std::span<const std::byte> bytes, const std::string& name);

/// Magic, version, dictionary and padding for a C-order array; a multiple of 64 bytes.
std::string formatNpyHeader(DType dtype, const Shape& shape);

}  // namespace temper
