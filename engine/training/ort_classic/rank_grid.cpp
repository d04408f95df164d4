// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/rank_grid.h"

#include <vector>

namespace temper::classic {
namespace {

/// `count` ranks from `first` on, `stride` apart.
std::vector<int> every(int64_t first, int64_t stride, int64_t count) {
    std::vector<int> ranks;
    for (int64_t i = 0; i < count; ++i) ranks.push_back(static_cast<int>(first + i * stride));
    return ranks;
}

}  // namespace

RankGrid::RankGrid(const DistributedParameters& parameters, Group& ranks) : all_(ranks) {
    const int64_t neighbours = parameters.horizontalParallelSize;
    const int64_t ofStage = neighbours * parameters.dataParallelSize;
    const int64_t rank = ranks.rank(), place = rank % neighbours, inStage = rank % ofStage;
    data_ = ranks.subgroup(every(rank - inStage + place, neighbours, parameters.dataParallelSize));
    horizontal_ = ranks.subgroup(every(rank - place, 1, neighbours));
    stages_ = ranks.subgroup(every(inStage, ofStage, parameters.pipelineParallelSize));
    std::vector<int> model;
    for (int64_t stage = 0; stage < parameters.pipelineParallelSize; ++stage) {
        for (const int each : every(stage * ofStage + inStage - place, 1, neighbours))
            model.push_back(each);
    }
    model_ = ranks.subgroup(model);
}

}  // namespace temper::classic
