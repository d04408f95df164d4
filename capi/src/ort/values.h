// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "capi/src/ort/objects.h"

namespace temper::capi::ort {

/// Throws: Error(Unsupported) for a type that arrays of programs can't have.
DType dtypeOf(ONNXTensorElementDataType type);

/// The tensors of inputs. Throws: Error(InvalidInput) for null.
std::vector<Tensor> tensorsOf(const OrtValue* const* values, size_t count);

/// Writes results to the caller's outputs: into those that are there, into new ones otherwise. All
/// or none are written. Throws: Error(InvalidInput) for an output of another type or shape.
void writeOutputs(std::span<const Tensor> results, OrtValue** outputs);

OrtTensorTypeAndShapeInfo infoOf(const Tensor& tensor);

}  // namespace temper::capi::ort
