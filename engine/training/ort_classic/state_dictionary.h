// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/training/ort_classic/training_parameters.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper::classic {

/// Tensors by name: weights, and the optimizer's "Moment_1_<weight>", "Moment_2_<weight>",
/// "Update_Count_<weight>" or "Step".
using StateDictionary = std::map<std::string, Tensor>;

/// The state under the names of ORT's classic session. It returns copies and copies what it takes.
/// Source: spec/training_api.md sections 10.2 and 10.3.
class StateView {
public:
    /// `updated`: weights with optimizer state, empty if the optimizer keeps none. `sharesStep`:
    /// one "Step" counts for all of them, as Lamb's does, instead of an "Update_Count" for each.
    StateView(CheckpointState& state, std::vector<std::string> updated, bool sharesStep)
        : state_(state), updated_(std::move(updated)), sharesStep_(sharesStep) {}

    StateDictionary weights() const;
    OptimizerStates optimizerStates() const;
    /// Weights and optimizer states together.
    StateDictionary all() const;

    /// If `strict`, every entry has to be known; otherwise unknown ones are skipped.
    /// Throws: Error(InvalidInput) naming an entry that is unknown, has another type or shape, or
    /// counts other steps than the rest. The state is then unchanged.
    void load(const StateDictionary& dictionary, bool strict);
    /// Throws: as load(), and for a weight without optimizer state.
    void loadOptimizerStates(const OptimizerStates& states);

private:
    /// The data of an entry; null for counts and unknown entries.
    Tensor* find(const std::string& name);
    void checkEntry(const std::string& name, const Tensor& data, bool strict);
    bool isCount(const std::string& name) const;

    CheckpointState& state_;
    std::vector<std::string> updated_;
    bool sharesStep_;
};

}  // namespace temper::classic
