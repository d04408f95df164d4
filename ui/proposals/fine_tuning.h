// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"
#include "ui/document/loaded_data.h"
#include "ui/document/loaded_model.h"
#include "ui/proposals/proposed_choice.h"

namespace temper::ui {

/// Which parameters fine-tuning trains.
enum class FineTuneScope {
    LastLayer,
    LastLayers,
    BiasesAndNorms,
    LastLayerFirst,  ///< then everything, at a tenth of the rate
    Everything
};

/// All choices for training a model on data, proposed together.
struct FineTuning {
    FineTuneScope scope = FineTuneScope::Everything;
    TrainingSpec spec;
    std::vector<ProposedChoice> choices;  ///< those besides scope, epochs, rate and batch
    QString whyEpochs, whyRate, whyBatch;
};

struct FineTuneRequest {
    const LoadedModel& model;
    const LoadedData& data;
    const OpSet& ops;
    TrainingSpec spec;  ///< the choices so far; what is not proposed stays
    std::optional<int64_t> fixedBatch = {};
};

/// With few samples for its parameters, or a new head: the last layer; else everything.
FineTuneScope proposeScope(const FineTuneRequest& request);

FineTuning proposeFineTuning(const FineTuneRequest& request, FineTuneScope scope);

/// For LastLayerFirst: all but the last layer starts after a third of the run's steps, when the
/// rate drops to a tenth. Other scopes: takes that back, if it was chosen before.
void setPhases(const FineTuneRequest& request, FineTuneScope scope, TrainingSpec& spec);

/// What training these parameters means, and how many they are.
QString whyScope(FineTuneScope scope, const LoadedModel& model, const OpSet& ops, int64_t samples);

/// The names of the parameters that a scope trains.
std::set<std::string> scopeParameters(FineTuneScope scope, const LoadedModel& model,
                                      const OpSet& ops);

}  // namespace temper::ui
