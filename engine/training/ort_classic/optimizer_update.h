// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/ort_classic/classic_artifacts.h"
#include "engine/training/ort_classic/loss_scaler.h"
#include "engine/training/ort_classic/step_report.h"
#include "engine/training/session/optimizer.h"
#include "engine/training/session/training_session.h"

namespace temper::classic {

/// What follows the gradients of a batch: with the last batch of an optimizer step they are
/// averaged and unscaled, then clipped and applied. The weights of each group are updated by its
/// own optimizer; all groups count the same steps.
class OptimizerUpdate {
public:
    OptimizerUpdate(temper::TrainingSession& session, const ClassicArtifacts& artifacts,
                    const TrainingParameters& parameters, uint64_t seed);

    bool hasOptimizer() const { return !optimizers_.empty(); }
    bool scalesLoss() const { return scaler_.has_value(); }
    /// The scale of the next batch; 1 without scaling.
    float lossScale();

    /// Throws: Error(InvalidInput) if the scale differs from that of the step's first batch.
    void requireScale(float scale) const;
    /// Call it after a train step. Gradients of a whole optimizer step are averages then.
    void noteBatch(float scale);
    /// Ends the optimizer step if its last batch was noted: updates the weights, unless a gradient
    /// is not finite, and informs the scaler. `rate` is unset without an optimizer.
    void finish(std::optional<float> rate);

    const StepReport& report() const { return report_; }

private:
    void addMoments(const WeightGroup& group, DType dtype);
    void average(float scale);
    void update(float rate);
    void resumeScaler();
    void noteStep(bool allFinite);

    temper::TrainingSession& session_;
    int64_t batchesPerStep_;
    double maxNorm_;
    uint64_t seed_;
    std::vector<std::unique_ptr<Optimizer>> optimizers_;
    std::optional<LossScaler> scaler_;
    StepReport report_;
    int64_t batches_ = 0;  ///< of the current optimizer step
};

}  // namespace temper::classic
