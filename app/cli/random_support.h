// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "engine/core/tensor.h"
#include "engine/ir/graph.h"

namespace temper::cli {

// No two implementations draw the same random numbers, so that a record of one can't be compared
// with the numbers of another. What both have to respect is the support: the set of values that the
// operator may produce.

/// Whether output `output` of this model is drawn by a random operator whose support is known:
/// Bernoulli (also as ONNX's function), RandomUniform, RandomNormal and their Like forms,
/// Multinomial, Dropout in training mode. `inputs` in the order of the model's inputs.
bool isDrawn(const Graph& model, size_t output, std::span<const Tensor> inputs);

/// Why the model can't have drawn outputs[position] from these inputs; empty if it can:
/// 0 or 1 of Bernoulli, a number in the interval of RandomUniform, a finite one of RandomNormal,
/// the index of a class of Multinomial, 0 or x / (1 - ratio) of Dropout as its mask says. `outputs`
/// in the order of the model's outputs, for one of which isDrawn() holds.
std::string supportProblem(const Graph& model, std::span<const Tensor> inputs,
                           std::span<const Tensor> outputs, size_t position);

}  // namespace temper::cli
