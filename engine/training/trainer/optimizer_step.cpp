// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/optimizer_step.h"

#include <utility>

#include "engine/training/monitors/layer_monitor.h"
#include "engine/training/monitors/non_finite.h"

namespace temper {
namespace {

/// As ONNX Runtime's InplaceClipGradNorm. Source: spec/training_api.md section 4.3.
constexpr double kClipEpsilon = 1e-6;

float ratio(int64_t a, int64_t b) { return static_cast<float>(a) / static_cast<float>(b); }

}  // namespace

/// A batch's gradients are the mean over its samples, and they are added to those in the buffers.
/// So the buffers hold a sum in the unit of the latest batch: a batch of another size rescales it.
void OptimizerStep::add(const Batch& batch) {
    if (samples_ > 0 && batchSize_ != batch.size) {
        session_.scaleGradients(ratio(batchSize_, batch.size));
    }
    batchSize_ = batch.size;
    inputs_ = batch.tensors;
    const double loss = session_.trainStep(inputs_)[0].toDouble();
    requireFinite(session_, inputs_, loss, "loss");
    lossSum_ += loss * static_cast<double>(batch.size);
    samples_ += batch.size;
}

StepResult OptimizerStep::finish(double learningRate) {
    if (samples_ != batchSize_) session_.scaleGradients(ratio(batchSize_, samples_));
    const double norm = session_.gradientNorm();
    requireFinite(session_, inputs_, norm, "norm of the gradients");
    if (monitor_ != nullptr) monitor_->beforeUpdate();
    if (clipNorm_ > 0 && norm > clipNorm_) {
        session_.scaleGradients(static_cast<float>(clipNorm_ / (norm + kClipEpsilon)));
    }
    if (clipValue_ > 0) session_.clampGradients(static_cast<float>(clipValue_));
    session_.setLearningRate(static_cast<float>(learningRate));
    session_.optimizerStep();
    if (monitor_ != nullptr) monitor_->afterUpdate();
    session_.lazyResetGrad();
    const int64_t samples = std::exchange(samples_, 0);
    return {std::exchange(lossSum_, 0) / static_cast<double>(samples), norm, samples};
}

}  // namespace temper
