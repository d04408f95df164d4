// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/core/random.h"
#include "tests/engine/distributed/local_ranks.h"
#include "tests/engine/training/ort_classic/classic_fixture.h"

namespace temper::test {

/// As the text of a model declares it.
inline std::string weight(const char* name, int64_t rows, int64_t columns, uint64_t seed) {
    Random random(seed);
    std::string text =
        "float[" + std::to_string(rows) + ", " + std::to_string(columns) + "] " + name + " = {";
    for (int64_t i = 0; i < rows * columns; ++i)
        text += (i > 0 ? ", " : "") + std::to_string(0.5F * random.normal());
    return text + "}";
}

/// Replicas of groups of neighbours.
inline TrainingParameters distributed(TrainingParameters parameters, const Group& ranks,
                                      int neighbours = 1) {
    parameters.distributed.worldRank = ranks.rank();
    parameters.distributed.worldSize = ranks.size();
    parameters.distributed.localRank = ranks.rank();
    parameters.distributed.localSize = ranks.size();
    parameters.distributed.dataParallelSize = ranks.size() / neighbours;
    parameters.distributed.horizontalParallelSize = neighbours;
    return parameters;
}

}  // namespace temper::test
