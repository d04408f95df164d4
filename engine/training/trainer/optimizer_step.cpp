// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/optimizer_step.h"

#include "engine/training/monitors/layer_monitor.h"
#include "engine/training/monitors/non_finite.h"

namespace temper {
namespace {

/// As ONNX Runtime's InplaceClipGradNorm. Source: spec/training_api.md section 4.3.
constexpr double kClipEpsilon = 1e-6;

}  // namespace

StepResult OptimizerStep::finish(double learningRate) {
    const BatchTotals totals = gradients_.finish();
    const double norm = gradients_.norm();
    requireFinite(session_, gradients_.latestInputs(), norm, "norm of the gradients");
    if (monitor_ != nullptr) monitor_->beforeUpdate();
    if (clipNorm_ > 0 && norm > clipNorm_) {
        session_.scaleGradients(static_cast<float>(clipNorm_ / (norm + kClipEpsilon)));
    }
    if (clipValue_ > 0) session_.clampGradients(static_cast<float>(clipValue_));
    session_.setLearningRate(static_cast<float>(learningRate));
    session_.optimizerStep();
    if (monitor_ != nullptr) monitor_->afterUpdate();
    session_.lazyResetGrad();
    return {totals.loss, norm, totals.samples};
}

}  // namespace temper
