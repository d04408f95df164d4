// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/core/tensor.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/proto.h"

namespace temper {

/// A tensor over external bytes, which `owner` keeps; copied if they are not aligned for the type,
/// hold booleans other than 0 and 1 or are packed. The caller has checked that there are enough
/// bytes.
Tensor shareBytes(DType dtype, Shape shape, std::shared_ptr<const void> owner,
                  const std::byte* data);

/// Moves the data out of `proto`, in any of ONNX's encodings.
/// `what` names the tensor in messages: "Initializer 'w'".
/// Throws: Error(InvalidInput) if type, shape and data contradict each other, Error(Unsupported)
/// for strings and segments.
Tensor readTensor(onnx::TensorProto& proto, ExternalData& externalData, const std::string& what);

}  // namespace temper
