// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/trained_weights.h"

#include "engine/core/error.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"

namespace temper::ui {

std::shared_ptr<const Artifacts> artifactsInUse(const StudioProject& project,
                                                const RunController& controller) {
    if (controller.hasSession()) return controller.artifacts();
    const auto& preparation = project.preparation();
    return preparation ? preparation->artifacts : nullptr;
}

bool hasTrainedWeights(const RunModel& run, const RunController& controller) {
    if (controller.attached() != nullptr) return false;
    return controller.hasSession() || !run.checkpoints().empty();
}

std::unique_ptr<AveragedWeights> useAverage(CheckpointState& state) {
    if (WeightAverage::isThere(state)) return std::make_unique<AveragedWeights>(state);
    throw Error(ErrorCode::State, "The run has no average of the weights.",
                "Turn on weight averaging and start training again: the average starts with a "
                "run.");
}

}  // namespace temper::ui
