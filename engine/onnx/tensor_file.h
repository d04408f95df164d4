// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/core/tensor.h"

namespace temper {

/// Reads a file with one TensorProto, as stored beside models by ONNX's backend tests and model
/// zoo.
/// Throws: Error(NotFound | Io), Error(InvalidInput) naming the file, Error(Unsupported) for
/// element types that a Tensor can't hold.
Tensor readTensorFile(const std::filesystem::path& path);

}  // namespace temper
