// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/weight_average.h"

namespace temper::ui {

class RunController;
class RunModel;
class StudioProject;

/// The artifacts of the trained state; without one, those that were prepared. Null without either.
std::shared_ptr<const Artifacts> artifactsInUse(const StudioProject& project,
                                                const RunController& controller);

/// Whether there are weights of a training: a trained state, or checkpoints of the shown run.
/// Those of a job are on its server.
bool hasTrainedWeights(const RunModel& run, const RunController& controller);

/// The state's weights are their average while the result lives. Throws: Error(State) if it has no
/// average.
std::unique_ptr<AveragedWeights> useAverage(CheckpointState& state);

}  // namespace temper::ui
