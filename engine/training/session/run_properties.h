// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/session/checkpoint_state.h"
#include "engine/training/spec/run_spec.h"

namespace temper {

/// What a run knows besides parameters and optimizer state, kept as properties of the state so that
/// a continued run does the same as one without a break.

/// "temper.learning_rate", float: the rate of the latest optimizer step. ORT's format has no field
/// for it. Source: spec/checkpoint.md section 7.
void keepLearningRate(CheckpointState& state, float learningRate);
std::optional<float> keptLearningRate(const CheckpointState& state);
/// The same in a checkpoint, so that a session over it begins with the rate of `run`; nothing if
/// that is the usual one.
void keepInitialRate(CheckpointFile& checkpoint, const RunSpec& run);

/// "temper.fixed_learning_rate", string (a float property would round it): a rate set by hand,
/// which replaces the schedule's.
void keepFixedLearningRate(CheckpointState& state, std::optional<double> learningRate);
std::optional<double> fixedLearningRate(const CheckpointState& state);

/// "temper.schedule", string: LrSchedule::state().
void keepSchedule(const LrSchedule& schedule, CheckpointState& state);
void restoreSchedule(LrSchedule& schedule, const CheckpointState& state);

/// "temper.classes", string: the names of the classes by index, a JSON array; for the exported
/// model. Names that are just the indices are not kept.
void keepClassNames(CheckpointState& state, const Column& target);
std::optional<std::string> keptClassNames(const CheckpointState& state);
/// The names themselves; empty if none are kept, or the property is damaged.
std::vector<std::string> keptClasses(const CheckpointState& state);

/// A run that starts over has no schedule yet.
void forgetSchedule(CheckpointState& state);

}  // namespace temper
