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
#include "engine/training/parallel/slice_worker.h"
#include "engine/training/session/training_session.h"

namespace temper {

/// Computes the slices of a rank side by side, so that batch normalizations can use the statistics
/// of the whole batch. The slices take turns: each computes until its next batch normalization,
/// where it waits until all slices of the batch, on all ranks, have arrived.
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
    const SliceResult& result(int64_t slice) const { return worker(slice).result(); }
    std::span<const Tensor> inputs(int64_t slice) const { return worker(slice).inputs(); }
    /// Copies its gradients to the session's, and its running statistics to the session's state.
    void copyToSession(int64_t slice);
    /// The parameters that train steps change without a gradient.
    const std::set<std::string>& runningStatistics() const { return runningStatistics_; }

    /// So far: waiting for what other ranks send.
    double waitSeconds() const { return waitSeconds_; }
    /// See TrainingSession: of all slices of this rank.
    size_t arenaBytes() const;

private:
    const SliceWorker& worker(int64_t slice) const {
        return *slices_.at(static_cast<size_t>(slice));
    }
    void computeBatch(const Batch& batch, uint64_t number, uint64_t batches);
    void synchronize(std::span<SliceWorker* const> slices, int64_t participants);
    bool exchange(std::span<SliceWorker* const> slices, int64_t participants);
    void requireFiniteLosses(std::span<SliceWorker* const> slices);
    std::vector<std::string> gather(const std::string& own);

    TrainingSession& session_;
    Group& group_;
    SumTree tree_;
    PartRange parts_;  ///< this rank's slices
    std::vector<std::unique_ptr<SliceWorker>> slices_;
    std::set<std::string> runningStatistics_;
    std::vector<double> numbers_;              ///< of all slices
    std::vector<SliceStatistics> statistics_;  ///< the same, by slice
    double waitSeconds_ = 0;
};

}  // namespace temper
