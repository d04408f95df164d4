// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "engine/core/tensor.h"

namespace temper {

/// Reads an NPY array (versions 1 to 3; booleans, integers, floating-point and complex numbers; C
/// or Fortran order; either byte order); `name` is for errors. The tensor is row-major in native
/// byte order.
/// Throws: Error(InvalidInput) for a damaged file, Error(Unsupported) for other element types.
Tensor parseNpy(std::span<const std::byte> bytes, const std::string& name);

/// The same, but the tensor uses the bytes in place if their order and alignment allow it; `buffer`
/// owns them and nobody else may write to them.
Tensor adoptNpy(std::shared_ptr<std::byte> buffer, size_t size, const std::string& name);

/// Throws: also Error(NotFound) and Error(Io) naming the path.
Tensor readNpy(const std::filesystem::path& path);

/// The bytes of an NPY file (version 1, C order, little-endian). BFloat16, which NPY lacks, is
/// written as float32, exactly. Throws: Error(Unsupported) for strings.
std::string formatNpy(const Tensor& tensor);

/// Writes formatNpy() to a file, under a temporary name first. Throws: Error(Io) naming the path.
void writeNpy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace temper
