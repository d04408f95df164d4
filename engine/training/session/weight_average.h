// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/runtime/device.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// An exponential moving average of the trainable weights: average <- decay * average + (1 - decay)
/// * weight after each step; it starts with the weights after the first one. It is part of the
/// optimizer state, as "average" next to the moments, where ORT ignores it.
/// Source: Polyak & Juditsky (1992), as PyTorch's AveragedModel with get_ema_avg_fn().
class WeightAverage {
public:
    /// The state has to outlive this. Throws: Error(InvalidInput) if decay is not in [0, 1).
    WeightAverage(CheckpointState& state, double decay);

    void update(Device& device);

    /// Swaps weights and average, in place; a second call restores them.
    static void swap(CheckpointState& state);
    static bool isThere(const CheckpointState& state);

private:
    CheckpointState& state_;
    float decay_;
};

/// The state's weights are their average while this lives; unchanged if there is none.
class AveragedWeights {
public:
    explicit AveragedWeights(CheckpointState& state) : state_(state) {
        WeightAverage::swap(state_);
    }
    ~AveragedWeights() { WeightAverage::swap(state_); }
    AveragedWeights(const AveragedWeights&) = delete;
    AveragedWeights& operator=(const AveragedWeights&) = delete;

private:
    CheckpointState& state_;
};

}  // namespace temper
