// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/pipeline_schedule.h"

#include <algorithm>

namespace temper::classic {

std::vector<PipelineTurn> turnsOf(int64_t stage, int64_t stages, int64_t batches) {
    std::vector<PipelineTurn> turns;
    const int64_t ahead = std::min(stages - 1 - stage, batches);
    for (int64_t i = 0; i < ahead; ++i) turns.push_back({i, false});
    for (int64_t i = 0; i < batches; ++i) {
        if (ahead + i < batches) turns.push_back({ahead + i, false});
        turns.push_back({i, true});
    }
    return turns;
}

}  // namespace temper::classic
