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

/// The model with the loss that the session trains: the eval model, where there is one.
const Graph& graphWithLoss(const TrainingSession& session);

/// How many classes the prediction tells apart; 0 where that is not known or there are none.
int64_t classesOf(const TrainingSession& session, const LossInfo& loss);

/// What the targets of the loss are, by their element types.
TargetForm targetFormOf(const TrainingSession& session);

/// Keeps the names of the classes with the state, for the exported model.
void keepClassNames(TrainingSession& session, const Dataset& data,
                    const std::map<std::string, std::string>& binding);

/// Why a target that was read as numbers or as classes is not what its input takes, and both
/// specifications; absent where it is, or where the format leaves no choice.
std::optional<Finding> objectionToReading(const std::string& input, const ValueType& type,
                                          const Column& column);

/// A label as the file writes it, and its class index if that is another: "10", "46 (class 43,
/// counted from 0)", "'cat' (class 2, counted from 0)".
std::string describeLabel(const Column& column, int64_t label);

/// What to do about a label beyond the classes of the model.
std::string hintForLabel(const Column& column);

}  // namespace temper
