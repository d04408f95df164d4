// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "engine/distributed/group.h"
#include "engine/training/parallel/gradient_layout.h"

namespace temper {

/// Combines the gradients of ranks that have computed batches of their own. All ranks call the same
/// functions, and end with the same gradients.
class GradientReduction {
public:
    /// All have to outlive it.
    GradientReduction(Group& group, const GradientLayout& layout)
        : group_(group), layout_(layout) {}
    virtual ~GradientReduction() = default;
    GradientReduction(const GradientReduction&) = delete;
    GradientReduction& operator=(const GradientReduction&) = delete;

    /// Throws: the error of any rank.
    virtual void reduce() = 0;

protected:
    Group& group_;
    const GradientLayout& layout_;
};

/// The mean over the ranks, added up in an order that depends on their number only (SumTree).
class MeanReduction final : public GradientReduction {
public:
    using GradientReduction::GradientReduction;
    void reduce() override;
};

/// Adasum: ranks whose gradients are orthogonal add them, ranks with equal gradients take their
/// mean, and what is between is between. For two gradients a and b of one parameter, it is
///     (1 - ab / (2 aa)) a + (1 - ab / (2 bb)) b,
/// and for more ranks, that of neighbours, then of the results of neighbours, and so on. A rank
/// works on its shard of all numbers; products over whole parameters are added up over the ranks.
/// Source: Maleki et al., Scaling Distributed Training with Adaptive Summation (2020).
class AdasumReduction final : public GradientReduction {
public:
    AdasumReduction(Group& group, const GradientLayout& layout);
    void reduce() override;

private:
    /// The part of a parameter that is in this rank's shard.
    struct Part {
        size_t parameter = 0;  ///< index in GradientLayout::gradients()
        PartRange numbers;     ///< within the shard
    };

    void combine(std::vector<float*>& gradients) const;
    std::vector<double> products(const std::vector<float*>& gradients) const;

    ShardBorders shards_;
    std::vector<Part> parts_;
    std::vector<std::vector<float>> theirs_;  ///< of this rank's shard, by rank; its own is empty
};

}  // namespace temper
