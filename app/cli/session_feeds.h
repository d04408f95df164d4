// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "app/cli/feeds.h"
#include "engine/training/session/training_session.h"

namespace temper::cli {

/// What the training (or eval) model of the session wants to be fed.
std::vector<FeedInput> feedInputsOf(const TrainingSession& session, bool training);

/// The inputs of both models, each name once.
std::vector<FeedInput> allFeedInputsOf(const TrainingSession& session);

/// The batches for the session, of `--feeds`. Inputs of language models that have no array get what
/// training gives them (see DefaultInputs), which a note says. Throws: Error(InvalidInput) for
/// arrays that none of its inputs is named after, and for labels that do not fit the prediction.
Feeds loadFeedsFor(const TrainingSession& session, const std::string& path, CliContext& context);

/// {"name": value}, a number or nested lists.
Json outputsToJson(const std::vector<std::string>& names, std::span<const Tensor> outputs);

/// "name value, name [2, 3]": scalars in full, of others the shape.
std::string outputsToText(const std::vector<std::string>& names, std::span<const Tensor> outputs);

}  // namespace temper::cli
