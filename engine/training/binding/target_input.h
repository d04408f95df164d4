// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/core/error.h"
#include "engine/data/dataset.h"
#include "engine/data/target_form.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// The model with the loss that the session trains: the eval model, if there is one.
const Graph& graphWithLoss(const TrainingSession& session);

/// The number of classes of the prediction; 0 if unknown or if there are none.
int64_t classesOf(const TrainingSession& session, const LossInfo& loss);

/// The form of the loss's targets, derived from their element types.
TargetForm targetFormOf(const TrainingSession& session);

/// Stores the names of the classes in the state, for the exported model.
void keepClassNames(TrainingSession& session, const Dataset& data,
                    const std::map<std::string, std::string>& binding);

/// Why a target that was read as numbers or as classes is not what its input takes, with both
/// specifications; absent if it fits, or if the format leaves no choice.
std::optional<Finding> objectionToReading(const std::string& input, const ValueType& type,
                                          const Column& column);

/// A label as the file writes it, and its class index if that differs: "10", "46 (class 43, counted
/// from 0)", "'cat' (class 2, counted from 0)".
std::string describeLabel(const Column& column, int64_t label);

/// What to do about a label outside the `classes` of the model. `isOnlyTarget`: of a plain loss
/// over classes, for which commands can be given and samples be left out.
std::string hintForLabel(const Column& column, int64_t classes, bool isOnlyTarget);

}  // namespace temper
