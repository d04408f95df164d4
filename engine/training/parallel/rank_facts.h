// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/distributed/group.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// What ranks have to have in common: a name ("training data"), and a text that differs if the
/// thing does.
using RankFacts = std::vector<std::pair<std::string, std::string>>;

/// The models, and all values of the state, moments included: call it before ranks share these out.
RankFacts factsOf(TrainingSession& session);
/// Of a data set: its columns with their classes, its size and 16 of its samples.
std::string digestOf(const Dataset& data);

/// All ranks call it. Throws: Error(InvalidInput) on all of them, if a rank has another text than
/// rank 0, naming the rank and the thing.
void requireSame(Group& group, const RankFacts& facts);

}  // namespace temper
