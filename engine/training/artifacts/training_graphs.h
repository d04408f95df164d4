// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"

namespace temper {

/// Suffix after a parameter's name: the training model's input that accumulates its gradients.
inline constexpr std::string_view kGradientBufferEnding = "_grad.accumulation.buffer";
/// ONNX Runtime hides inputs and outputs of the training model with these suffixes from the user.
inline constexpr std::array<std::string_view, 3> kReservedEndings = {"_grad", kGradientBufferEnding,
                                                                     "_grad.accumulation.out"};

inline std::string gradientBufferOf(const std::string& parameter) {
    return parameter + std::string(kGradientBufferEnding);
}

/// What is made from a forward model whose first output is the loss.
struct TrainingGraphs {
    std::unique_ptr<Graph> training;
    std::unique_ptr<Graph> eval;
    CheckpointFile checkpoint;
};

/// Parameters of a forward model by name. A trainable name that is a graph input also gets a
/// gradient.
struct ParameterNames {
    std::vector<std::string> trainable;
    std::vector<std::string> frozen;
};

/// Makes the parameters graph inputs, then derives the eval model (training mode off) and the
/// training model (gradients, accumulators). All other initializers stay in the models.
/// Source: spec/artifacts.md sections 3 to 6.
/// Throws: Error(Unsupported), Error(InvalidInput) if a gradient does not exist.
TrainingGraphs makeTrainingGraphs(std::unique_ptr<Graph> forward, const OpSet& ops,
                                  const GradientRules& rules, const ParameterNames& parameters);

}  // namespace temper
