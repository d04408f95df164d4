// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/shape.h"

namespace temper {

/// How a tensor is traversed to reduce some of its axes.
///
/// Adjacent axes that are both kept or both reduced count as one. What remains is a loop over kept
/// groups, a loop over reduced groups, and innermost a contiguous run: of elements that go into one
/// output, or of adjacent outputs.
class ReductionPlan {
public:
    ReductionPlan(const Shape& shape, const std::vector<bool>& isReduced);

    bool innerIsReduced() const { return innerIsReduced_; }
    /// Length of the contiguous runs.
    int64_t inner() const { return inner_; }
    int64_t keptGroups() const { return keptGroups_; }
    int64_t reducedGroups() const { return reducedGroups_; }
    /// Elements that go into one output.
    int64_t reducedCount() const {
        return innerIsReduced_ ? reducedGroups_ * inner_ : reducedGroups_;
    }

    /// Where a kept group starts in the input, and how far a reduced group is from there.
    int64_t keptOffset(int64_t group) const { return offsetOf(kept_, group); }
    int64_t reducedOffset(int64_t group) const { return offsetOf(reduced_, group); }

private:
    struct Loop {
        int64_t dim;
        int64_t stride;
    };
    static int64_t offsetOf(const std::vector<Loop>& loops, int64_t group);
    static int64_t sizeOf(const std::vector<Loop>& loops);

    std::vector<Loop> kept_;  ///< outermost first, without the innermost run
    std::vector<Loop> reduced_;
    int64_t inner_ = 1;
    bool innerIsReduced_ = true;
    int64_t keptGroups_ = 1;
    int64_t reducedGroups_ = 1;
};

}  // namespace temper
