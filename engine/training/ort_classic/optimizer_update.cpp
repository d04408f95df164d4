// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/optimizer_update.h"

#include <cmath>
#include <cstring>

#include "engine/core/error.h"

namespace temper::classic {
namespace {

/// As ONNX Runtime's InplaceClipGradNorm. Source: spec/training_api.md section 4.3.
constexpr double kClipEpsilon = 1e-6;

std::optional<LossScaler> scalerOf(const TrainingParameters& parameters) {
    if (parameters.dynamicLossScale) return LossScaler(*parameters.dynamicLossScale);
    if (parameters.lossScale != 0) return LossScaler(parameters.lossScale);
    return std::nullopt;
}

}  // namespace

OptimizerUpdate::OptimizerUpdate(temper::TrainingSession& session,
                                 const ClassicArtifacts& artifacts,
                                 const TrainingParameters& parameters, RankGrid& ranks,
                                 const WeightSlices& slices, uint64_t seed)
    : session_(session),
      ranks_(ranks),
      slices_(slices),
      batchesPerStep_(parameters.gradientAccumulationSteps),
      maxNorm_(artifacts.maxNorm),
      seed_(seed),
      hasOptimizer_(!artifacts.groups.empty()),
      scaler_(scalerOf(parameters)) {
    if (ranks.data().size() > 1) replicas_.emplace(session, artifacts, parameters, ranks.data());
    if (sharded() == nullptr) addOptimizers(artifacts, parameters);
}

void OptimizerUpdate::addOptimizers(const ClassicArtifacts& artifacts,
                                    const TrainingParameters& parameters) {
    for (const WeightGroup& group : artifacts.groups) {
        if (parameters.momentType != DType::Float32) addMoments(group, parameters.momentType);
        optimizers_.push_back(std::make_unique<Optimizer>(group.optimizerModel, group.weights,
                                                          session_.state(), session_.context()));
    }
}

/// Creates moments of an element type other than float32, which the optimizer would make itself.
void OptimizerUpdate::addMoments(const WeightGroup& group, DType dtype) {
    for (const std::string& weight : group.weights) {
        auto& moments = session_.state().optimizerState().moments[weight];
        for (const char* name : {"momentum0", "momentum1"}) {
            const Tensor& data = session_.state().parameter(weight).data;
            moments[name] = Tensor(dtype, data.shape(), data.memory());
        }
    }
}

float OptimizerUpdate::lossScale() {
    resumeScaler();
    return scaler_ ? scaler_->scale() : 1;
}

void OptimizerUpdate::requireScale(float scale) const {
    if (batches_ == 0 || scale == report_.lossScale) return;
    throw Error(ErrorCode::InvalidInput,
                "The loss scale is " + std::to_string(scale) + "; expected " +
                    std::to_string(report_.lossScale) +
                    " as for the other batches of this optimizer step.",
                "Change it between optimizer steps.");
}

void OptimizerUpdate::beginBatch() {
    if (replicas_) replicas_->beginBatch(batches_);
}

void OptimizerUpdate::noteWritten(const std::string& parameter) {
    if (replicas_) replicas_->noteWritten(parameter);
}

void OptimizerUpdate::noteBatch(float scale) {
    ++batches_;
    report_ = {batches_ == batchesPerStep_, false, 0, scale};
    if (report_.endsStep) average(scale);
}

void OptimizerUpdate::average(float scale) {
    if (replicas_) replicas_->combine(scale);
    const double factor = 1.0 / (static_cast<double>(batches_) * static_cast<double>(scale));
    if (factor != 1) session_.scaleGradients(static_cast<float>(factor));
    report_.gradientNorm = gradientNorm();
}

/// Over all weights of the model: those that neighbours have whole count once.
double OptimizerUpdate::gradientNorm() {
    if (ranks_.model().size() == 1) return session_.gradientNorm();
    double squares = 0;
    for (const Parameter& parameter : session_.state().parameters()) {
        const bool isCounted = slices_.contains(parameter.name) || ranks_.horizontal().isLeader();
        if (!parameter.requiresGrad || !isCounted) continue;
        for (const float x : parameter.gradient.values<float>())
            squares += static_cast<double>(x) * x;
    }
    std::string mine(sizeof squares, '\0');
    std::memcpy(mine.data(), &squares, sizeof squares);
    double sum = 0;
    for (const std::string& theirs : ranks_.model().gather(mine)) {
        std::memcpy(&squares, theirs.data(), sizeof squares);
        sum += squares;
    }
    return std::sqrt(sum);
}

void OptimizerUpdate::finish(std::optional<float> rate) {
    if (!report_.endsStep) return;
    const bool allFinite = std::isfinite(report_.gradientNorm);
    if (allFinite && rate) update(*rate);
    if (scaler_) noteStep(allFinite);
    session_.lazyResetGrad();
    session_.setSeed(seed_);  // the next step starts with its first batch
    batches_ = 0;
}

void OptimizerUpdate::update(float rate) {
    const double norm = report_.gradientNorm;
    if (maxNorm_ > 0 && norm > maxNorm_) {
        session_.scaleGradients(static_cast<float>(maxNorm_ / (norm + kClipEpsilon)));
    }
    report_.isUpdated = true;
    if (sharded() != nullptr) {
        session_.setLearningRate(rate);
        return sharded()->step();
    }
    int64_t& step = session_.state().optimizerState().step;
    const int64_t before = step;
    for (const auto& optimizer : optimizers_) {
        step = before;  // each group counts, but all do the same step
        optimizer->setLearningRate(rate);
        optimizer->step();
    }
}

/// The state may have been loaded since the last step.
void OptimizerUpdate::resumeScaler() {
    if (!scaler_ || batches_ > 0) return;
    const auto& properties = session_.state().properties();
    const auto scale = properties.find(kLossScaleProperty);
    const auto steps = properties.find(kFiniteStepsProperty);
    if (scale == properties.end() || steps == properties.end()) return;
    const float* number = std::get_if<float>(&scale->second);
    const int64_t* count = std::get_if<int64_t>(&steps->second);
    if (number != nullptr && count != nullptr) scaler_->resume(*number, *count);
}

void OptimizerUpdate::noteStep(bool allFinite) {
    scaler_->update(allFinite);
    auto& properties = session_.state().properties();
    properties[kLossScaleProperty] = scaler_->scale();
    properties[kFiniteStepsProperty] = scaler_->finiteSteps();
}

}  // namespace temper::classic
