// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// Where the user's choices change gradients from those of the loss; see ArtifactPlan.
struct GradientChoices {
    std::vector<std::string> straightThrough;  ///< outputs of nodes
    std::vector<std::string> stopGradient;     ///< values

    bool empty() const { return straightThrough.empty() && stopGradient.empty(); }
};

/// The model whose finite differences the gradients with these choices correspond to: around
/// `inputs`, a node y of x with a straight-through gradient is x + (y - x) with a constant
/// difference, and a value that stops gradients is a constant. At `inputs` it computes what
/// `trainingModel` does. `inputNames` are those of the inputs, `seed` is that of random operators.
std::shared_ptr<const Graph> withChosenGradients(const Graph& trainingModel,
                                                 const CheckpointState& state,
                                                 const std::vector<std::string>& inputNames,
                                                 std::span<const Tensor> inputs, const OpSet& ops,
                                                 const GradientChoices& choices, uint64_t seed);

}  // namespace temper
