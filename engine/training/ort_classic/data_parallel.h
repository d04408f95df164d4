// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/distributed/group.h"
#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/parallel/gradient_layout.h"
#include "engine/training/parallel/gradient_reduction.h"
#include "engine/training/parallel/running_statistics.h"
#include "engine/training/parallel/shard_map.h"
#include "engine/training/parallel/sharded_optimizer.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// Ranks that have a whole model each and train it on batches of their own: once for an optimizer
/// step, they combine their gradients and the running statistics of batch normalizations.
class DataParallel {
public:
    /// All have to outlive it. Throws: as GradientLayout and ShardedOptimizer, if the ranks share
    /// out the optimizer's state; Error(Unsupported) for moments that are not float32.
    DataParallel(temper::TrainingSession& session, const ClassicArtifacts& artifacts,
                 const TrainingParameters& parameters, Group& ranks);
    ~DataParallel();
    DataParallel(const DataParallel&) = delete;
    DataParallel& operator=(const DataParallel&) = delete;

    /// Before the train step of a batch, the `number`th of the optimizer step, from 0: it draws
    /// random numbers of its own.
    void beginBatch(int64_t number);
    /// A train step has changed a parameter; those of the session report it themselves.
    void noteWritten(const std::string& parameter);
    /// After the last batch of the optimizer step; `scale` is the loss scale of its gradients.
    /// Throws: Error(InvalidInput) if the ranks have different scales; the error of any rank.
    void combine(float scale);
    /// The session's update, if the ranks share out its state; else null.
    ShardedOptimizer* sharded() const { return sharded_; }

private:
    void requireSameScale(float scale);

    temper::TrainingSession& session_;
    Group& ranks_;
    SumTree tree_;
    GradientLayout layout_;
    std::unique_ptr<GradientReduction> reduction_;
    RunningStatistics statistics_;
    std::optional<ShardMap> shards_;
    ShardedOptimizer* sharded_ = nullptr;
};

}  // namespace temper::classic
