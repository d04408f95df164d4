// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/core/tensor.h"
#include "engine/core/value_data.h"
#include "engine/ir/type.h"

namespace temper {

/// Reads a file with one TensorProto, as stored beside models by ONNX's backend tests and model
/// zoo.
/// Throws: Error(NotFound | Io), Error(InvalidInput) naming the file, Error(Unsupported) for
/// element types that a Tensor can't hold.
Tensor readTensorFile(const std::filesystem::path& path);

/// The same for a file with the data of a value of this type: a TensorProto, a SequenceProto or an
/// OptionalProto.
ValueData readValueFile(const std::filesystem::path& path, const ValueType& type);

}  // namespace temper
