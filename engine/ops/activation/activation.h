// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/ops/op_set.h"

namespace temper {

/// Relu, Sigmoid, Tanh, Elu, Gelu and their relatives; ORT's fused forms and backward operators.
void registerActivation(OpSet& ops);

void registerActivationTypes(OpCatalog& catalog);
void registerActivationGradients(GradientRules& rules);
void registerActivationKernels(KernelRegistry& kernels);
void registerBiasActivationKernels(KernelRegistry& kernels);

/// The parameters of an activation: ONNX's alpha and beta, gamma or bias.
struct ActivationParameters {
    float alpha = 0;
    float beta = 0;
};

/// From the attributes of the node or its operator's defaults.
ActivationParameters activationParameters(const Node& node);

/// Whether a Gelu node uses the tanh approximation.
/// Throws: Error(InvalidInput) if `approximate` is neither "none" nor "tanh".
bool isTanhGelu(const Node& node);

}  // namespace temper
