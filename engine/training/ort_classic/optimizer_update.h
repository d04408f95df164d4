// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/ort_classic/data_parallel.h"
#include "engine/training/ort_classic/horizontal_split.h"
#include "engine/training/ort_classic/loss_scaler.h"
#include "engine/training/ort_classic/rank_grid.h"
#include "engine/training/ort_classic/step_report.h"
#include "engine/training/session/optimizer.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// What follows the gradients of a batch: with the last batch of an optimizer step they are
/// combined with those of other ranks, averaged and unscaled, then clipped and applied. The weights
/// of each group are updated by its own optimizer; all groups count the same steps.
class OptimizerUpdate {
public:
    /// `slices`: the weights of which this rank has a part. All but `seed` have to outlive it.
    /// Throws: as DataParallel.
    OptimizerUpdate(temper::TrainingSession& session, const ClassicArtifacts& artifacts,
                    const TrainingParameters& parameters, RankGrid& ranks,
                    const WeightSlices& slices, uint64_t seed);

    bool hasOptimizer() const { return hasOptimizer_; }
    bool scalesLoss() const { return scaler_.has_value(); }
    /// The scale of the next batch; 1 without scaling.
    float lossScale();

    /// Throws: Error(InvalidInput) if the scale differs from that of the step's first batch.
    void requireScale(float scale) const;
    /// The next batch is the first of an optimizer step.
    bool isFirstBatch() const { return batches_ == 0; }
    /// Of the next batch in the optimizer step, among those of all replicas.
    int64_t batchNumber() const { return batches_ * ranks_.data().size() + ranks_.data().rank(); }
    /// Call it before a train step.
    void beginBatch();
    /// Call it when a train step that is not the session's has changed a parameter.
    void noteWritten(const std::string& parameter);
    /// Call it after a train step. Gradients of a whole optimizer step are averages then.
    void noteBatch(float scale);
    /// Ends the optimizer step if its last batch was noted: updates the weights, unless a gradient
    /// is not finite, and informs the scaler. `rate` is unset without an optimizer.
    void finish(std::optional<float> rate);

    const StepReport& report() const { return report_; }
    /// The update, if the ranks share out its state; else null.
    ShardedOptimizer* sharded() const { return replicas_ ? replicas_->sharded() : nullptr; }

private:
    void addOptimizers(const ClassicArtifacts& artifacts, const TrainingParameters& parameters);
    double gradientNorm();
    void addMoments(const WeightGroup& group, DType dtype);
    void average(float scale);
    void update(float rate);
    void resumeScaler();
    void noteStep(bool allFinite);

    temper::TrainingSession& session_;
    RankGrid& ranks_;
    const WeightSlices& slices_;
    int64_t batchesPerStep_;
    double maxNorm_;
    uint64_t seed_;
    bool hasOptimizer_;
    std::optional<DataParallel> replicas_;                ///< if there are several
    std::vector<std::unique_ptr<Optimizer>> optimizers_;  ///< none, if the update is sharded
    std::optional<LossScaler> scaler_;
    StepReport report_;
    int64_t batches_ = 0;  ///< of the current optimizer step
};

}  // namespace temper::classic
