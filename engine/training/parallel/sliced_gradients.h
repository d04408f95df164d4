// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/distributed/group.h"
#include "engine/training/parallel/gradient_layout.h"
#include "engine/training/parallel/partial_sums.h"
#include "engine/training/parallel/running_statistics.h"
#include "engine/training/parallel/shard_map.h"
#include "engine/training/parallel/sharded_optimizer.h"
#include "engine/training/session/training_session.h"

namespace temper {

class SynchronizedSlices;

/// What ranks have spent on exchanging gradients, and statistics of batch normalizations.
struct ExchangeCosts {
    int64_t steps = 0;
    int64_t bytesSent = 0;  ///< by this rank, for everything
    /// Between the first exchange of gradients of a step and the end of its last one, and in
    /// exchanges of statistics.
    double exchangeSeconds = 0;
    /// Of these, those in which this rank had nothing else to do.
    double waitSeconds = 0;
};

/// Gradients of batches that are cut into slices, which the ranks of a group share out among them.
///
/// A slice is computed as a batch of its own, and sums over slices have a fixed order (SumTree):
/// losses and gradients have the same bits on any number of ranks. Batch normalizations use the
/// statistics of their slice, or those of the whole batch (SynchronizedSlices).
class SlicedGradients {
public:
    /// Both have to outlive this. `zeroStage`: see SessionOptions; above 0, the session's optimizer
    /// steps are those of a ShardedOptimizer, and with 2, each rank has the complete gradients of
    /// its own pieces only.
    /// Throws: as GradientLayout and ShardedOptimizer; Error(InvalidInput) if the ranks outnumber
    /// the slices; Error(Unsupported) for synchronized batch normalizations on a device with a
    /// memory of its own.
    SlicedGradients(TrainingSession& session, Group& group, int64_t slices, int zeroStage = 0,
                    bool synchronizesBatchNorms = false);
    ~SlicedGradients();
    SlicedGradients(const SlicedGradients&) = delete;
    SlicedGradients& operator=(const SlicedGradients&) = delete;

    /// Computes this rank's slices of all batches; the session's gradients become those of the mean
    /// loss over all samples of all ranks. The tensors of the batches are those of all of its
    /// samples or of those from Batch::firstRow on. Returns: the mean loss.
    /// Throws: NonFiniteError if a loss is not finite; the error of any rank.
    double compute(std::span<const Batch> batches);

    /// Euclidean norm of all gradients, the same bits on all ranks; all call it.
    double norm();
    /// Null if every rank has the whole state.
    SharedState* sharedState() { return optimizer_; }
    /// Bytes of moments that this rank has of a shared state; 0 if it is not shared.
    size_t optimizerBytes() const { return optimizer_ == nullptr ? 0 : optimizer_->bytes(); }
    /// Of this rank's latest train step.
    std::span<const Tensor> latestInputs() const { return inputs_; }
    /// So far.
    ExchangeCosts costs() const;
    /// Of memory for activations that this has besides the session's.
    size_t arenaBytes() const;

private:
    float shareOf(int64_t samples) const {
        return static_cast<float>(samples) / static_cast<float>(samples_);
    }
    double computeAll(std::span<const Batch> batches);
    int64_t samplesOf(std::span<const Batch> batches, int64_t slice) const;
    float statisticsShare(std::span<const Batch> batches, int64_t slice) const;
    /// Returns: the sum of the losses of the slice's samples.
    double computeSlice(std::span<const Batch> batches, int64_t slice, bool isLast);
    double takeSlice(int64_t slice);
    void takeNothing();
    void noteWritten(const std::string& input);
    void beginBucket(size_t bucket);
    void beginOtherBuckets();
    void waitForExchanges();
    /// Until nothing writes to the gradients any more; without an exception.
    void waitForAll();
    double normOfShards();
    double meanLoss(const std::vector<double>& own);

    TrainingSession& session_;
    Group& group_;
    SumTree tree_;
    PartRange parts_;
    int zeroStage_;
    GradientLayout layout_;
    std::optional<ShardMap> shards_;
    ShardedOptimizer* optimizer_ = nullptr;  ///< the session's
    PartialSums sums_;
    RunningStatistics statistics_;
    std::unique_ptr<SynchronizedSlices> synchronized_;  ///< null: slices one after the other
    int64_t samples_ = 0;                               ///< of the step, on all ranks
    bool isLastTrainStep_ = false;                      ///< of this rank in this step
    float weight_ = 1;              ///< of the gradients in the buffers, in the sum
    std::vector<int64_t> missing_;  ///< gradients of each bucket that are not there
    std::vector<std::shared_ptr<Exchange>> exchanges_;
    std::vector<Tensor> inputs_;
    ExchangeCosts costs_;
    std::chrono::steady_clock::time_point firstExchange_;  ///< of the step
};

}  // namespace temper
