// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/distributed/exchange.h"

namespace temper {

/// What a rank exchanges to wait until all ranks have begun the same. The rounds keep their own
/// memory.
std::vector<Round> barrierRounds(int rank, int size);

}  // namespace temper
