// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// How the values of an input were normalized before training: (value - mean) / deviation.
struct InputNormalization {
    Normalization by;
    /// The axis of the input along which `by` has an entry for each element; 0: one for all.
    int64_t axis = 0;

    bool operator==(const InputNormalization&) const = default;
};

/// By the name of the input.
using InputNormalizations = std::map<std::string, InputNormalization>;

/// What the columns that feed the inputs went through; inputs whose column is as its source has it
/// are absent.
InputNormalizations normalizationsOf(const Dataset& data,
                                     const std::map<std::string, std::string>& binding);

/// "temper.normalization", string: {"image": {"axis": 1, "mean": [...], "deviation": [...]}}, so
/// that a model exported from a checkpoint says what it expects.
void keepNormalizations(CheckpointState& state, const InputNormalizations& inputs);
/// Empty if the state has none, or a damaged one.
InputNormalizations keptNormalizations(const CheckpointState& state);

/// A batch of the input (float32) as it was before it was normalized, and after. Shapes: [N, ...].
Tensor denormalized(const Tensor& batch, const InputNormalization& normalization);
Tensor normalized(const Tensor& batch, const InputNormalization& normalization);

/// The same text, for a model's metadata.
std::string toJson(const InputNormalizations& inputs);

}  // namespace temper
