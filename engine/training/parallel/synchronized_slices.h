// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/distributed/group.h"
#include "engine/ops/normalization/batch_statistics.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// What a slice of the batches of an optimizer step has come to.
struct SliceResult {
    double loss = 0;      ///< sum of the losses of its samples
    int64_t samples = 0;  ///< in all batches
    int64_t unit = 0;     ///< samples of the latest batch: gradients are a mean over so many
};

/// Computes the slices of a rank side by side, so that batch normalizations can use the statistics
/// of the whole batch. Each slice has memory of its own for activations and gradients. They take
/// turns: one computes until its next batch normalization, where it waits until all slices of the
/// batch, on all ranks, are there.
class SynchronizedSlices {
public:
    /// Both have to outlive this.
    SynchronizedSlices(TrainingSession& session, Group& group, const SumTree& tree);
    ~SynchronizedSlices();
    SynchronizedSlices(const SynchronizedSlices&) = delete;
    SynchronizedSlices& operator=(const SynchronizedSlices&) = delete;

    /// Gradients and running statistics of all slices; all ranks call it.
    /// Throws: NonFiniteError if a loss is not finite; Error(Unsupported) if the slices compute
    /// their normalizations in different orders; the error of any rank.
    void compute(std::span<const Batch> batches);

    /// Of slice `slice` of this rank, counted from 0, in the latest compute().
    SliceResult result(int64_t slice) const;
    /// Copies its gradients to the session's, and its running statistics to the session's state.
    void copyToSession(int64_t slice);
    /// The parameters that train steps change without a gradient.
    const std::set<std::string>& runningStatistics() const { return runningStatistics_; }
    std::span<const Tensor> latestInputs() const;

private:
    class Slice;

    void computeBatch(const Batch& batch, uint64_t number, uint64_t batches);
    void synchronize(std::span<Slice* const> slices, int64_t participants);
    bool exchange(std::span<Slice* const> slices, int64_t participants);
    void requireFiniteLosses(std::span<Slice* const> slices);

    TrainingSession& session_;
    Group& group_;
    SumTree tree_;
    PartRange parts_;  ///< this rank's slices
    std::vector<std::unique_ptr<Slice>> slices_;
    std::set<std::string> runningStatistics_;
    std::vector<double> gathered_;             ///< numbers of all slices
    std::vector<SliceStatistics> statistics_;  ///< the same, by slice
};

}  // namespace temper
