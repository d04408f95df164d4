// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/artifacts/artifacts.h"
#include "engine/training/trainer/trainer.h"
#include "ui/document/loaded_data.h"
#include "ui/document/loaded_model.h"
#include "ui/messages/problem.h"

namespace temper::ui {

/// An input of the training model that the data must feed.
struct ModelInput {
    std::string name;
    ValueType type;
    bool isTarget = false;
};

/// What follows from model, choices and data; computed at once, off the GUI thread. Immutable.
struct Preparation {
    ArtifactSpec spec;
    ArtifactPlan plan;
    std::shared_ptr<const Artifacts> artifacts;  ///< null if the plan has errors
    std::vector<ModelInput> inputs;
    std::optional<int64_t> fixedBatch;       ///< samples of a batch, if the model takes no other
    TargetForm target;                       ///< how the loss interprets the targets
    std::vector<std::string> metrics;        ///< those that fit the loss
    std::vector<std::string> usualMetrics;   ///< those measured by default
    BindingProposal proposal;                ///< empty without data
    std::shared_ptr<const LoadedData> data;  ///< data of the proposal; may be null
    Problem problem;                         ///< of building the artifacts, if that failed
};

struct PreparationRequest {
    std::shared_ptr<const LoadedModel> model;
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<const LoadedData> data;
    ArtifactSpec spec;
    std::map<std::string, std::string> binding;
    /// Earlier artifacts for the same model and specification, for reuse.
    std::shared_ptr<const Preparation> previous;
};

/// Plans, builds the artifacts, proposes a binding. Problems are part of the result. A model with
/// faults gets neither plan nor artifacts.
std::shared_ptr<const Preparation> prepare(const PreparationRequest& request);

}  // namespace temper::ui
