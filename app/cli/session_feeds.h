// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "app/cli/feeds.h"
#include "engine/training/session/training_session.h"

namespace temper::cli {

/// The inputs of the session's training (or eval) model that have to be fed.
std::vector<FeedInput> feedInputsOf(const TrainingSession& session, bool training);

/// The inputs of both models, without duplicates.
std::vector<FeedInput> allFeedInputsOf(const TrainingSession& session);

/// The batches for the session, from `--feeds`. Inputs of language models without an array get
/// their default from training (see DefaultInputs), which a note mentions. Throws:
/// Error(InvalidInput) for arrays that are not named after any of its inputs, and for labels that
/// do not fit the prediction.
Feeds loadFeedsFor(const TrainingSession& session, const std::string& path, CliContext& context);

/// Throws: Error(InvalidInput) for targets that the loss does not take, in any step (D123).
void requireTargetsInRange(const TrainingSession& session, const Feeds& feeds);

/// {"name": value}, a number or nested lists.
Json outputsToJson(const std::vector<std::string>& names, std::span<const Tensor> outputs);

/// "name value, name [2, 3]": scalars in full, only the shape of others.
std::string outputsToText(const std::vector<std::string>& names, std::span<const Tensor> outputs);

}  // namespace temper::cli
