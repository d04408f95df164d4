// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/reduction/reduction_plan.h"

namespace temper {

ReductionPlan::ReductionPlan(const Shape& shape, const std::vector<bool>& isReduced) {
    struct Group {
        int64_t dim;
        bool isReduced;
    };
    std::vector<Group> groups;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] == 1) continue;
        if (!groups.empty() && groups.back().isReduced == isReduced[i]) {
            groups.back().dim *= shape[i];
        } else {
            groups.push_back({shape[i], isReduced[i]});
        }
    }
    if (groups.empty()) return;
    inner_ = groups.back().dim;
    innerIsReduced_ = groups.back().isReduced;
    int64_t stride = inner_;
    for (size_t i = groups.size() - 1; i-- > 0;) {
        auto& loops = groups[i].isReduced ? reduced_ : kept_;
        loops.insert(loops.begin(), {groups[i].dim, stride});
        stride *= groups[i].dim;
    }
    keptGroups_ = sizeOf(kept_);
    reducedGroups_ = sizeOf(reduced_);
}

int64_t ReductionPlan::offsetOf(const std::vector<Loop>& loops, int64_t group) {
    int64_t offset = 0;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
        offset += group % loop->dim * loop->stride;
        group /= loop->dim;
    }
    return offset;
}

int64_t ReductionPlan::sizeOf(const std::vector<Loop>& loops) {
    int64_t size = 1;
    for (const Loop& loop : loops) size *= loop.dim;
    return size;
}

}  // namespace temper
