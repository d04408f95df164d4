// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/distributed/group.h"
#include "engine/training/parallel/partial_sums.h"
#include "engine/training/session/checkpoint_state.h"

namespace temper {

/// What a training step changes besides gradients: the running statistics of batch normalizations.
/// Each slice of a batch begins with those from before the step; afterwards the state has their
/// mean over the slices, weighted by their samples.
class RunningStatistics {
public:
    /// The state and the pool have to outlive this.
    RunningStatistics(CheckpointState& state, const SumTree& tree, int rank, ThreadPool& pool);

    /// A training step changes the parameter.
    void note(const std::string& parameter) { changed_.insert(parameter); }

    void beginStep();
    void beginSlice();
    void endSlice(float weight, bool isLast);
    /// All ranks call it, also those without slices.
    void finishStep(Group& group, const SumTree& tree);

private:
    struct Statistic {
        std::string parameter;
        Tensor values;
        int64_t begin = 0;  ///< in the arrays below
    };

    void agree(Group& group);
    void read(std::vector<float>& numbers) const;
    void write(std::vector<float>& numbers);

    std::vector<Statistic> all_;  ///< frozen parameters that a step may change
    std::set<std::string> changed_;
    bool isAgreed_ = false;
    std::vector<float> before_;
    std::vector<float> slice_;
    std::vector<float> sum_;
    PartialSums sums_;
};

}  // namespace temper
