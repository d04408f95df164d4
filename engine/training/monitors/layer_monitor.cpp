// SPDX-License-Identifier: Apache-2.0
#include "engine/training/monitors/layer_monitor.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

namespace temper {
namespace {

constexpr int64_t kBlocks = 8;

/// Processor time: while another program has the core, a look costs nothing.
double secondsOfThread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

bool isWatched(const Parameter& parameter) {
    return parameter.requiresGrad && parameter.data.dtype() == DType::Float32 &&
           !parameter.gradient.empty();
}

/// Calls `take(begin, end)` for the sampled ranges of `count` numbers.
template <typename F>
void forSample(int64_t count, F&& take) {
    if (count <= LayerMonitor::kSampled) return take(int64_t{0}, count);
    constexpr int64_t size = LayerMonitor::kSampled / kBlocks;
    for (int64_t block = 0; block < kBlocks; ++block) {
        const int64_t begin = block * (count - size) / (kBlocks - 1);
        take(begin, begin + size);
    }
}

/// The sum of squares of all numbers, estimated from that of the sample.
double scaled(double squareSum, int64_t count) {
    const auto sampled = static_cast<double>(std::min(count, LayerMonitor::kSampled));
    return sampled > 0 ? squareSum * static_cast<double>(count) / sampled : 0;
}

/// Returns: the estimated norm.
double addAll(const Tensor& tensor, MagnitudeHistogram& histogram) {
    const float* values = tensor.values<float>().data();
    double sum = 0;
    forSample(tensor.numElements(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            histogram.add(values[i]);
            sum += static_cast<double>(values[i]) * values[i];
        }
    });
    return std::sqrt(scaled(sum, tensor.numElements()));
}

}  // namespace

bool LayerMonitor::isDue() const {
    return lastCost_ == 0 || spent_ + lastCost_ <= maximalShare_ * elapsed_;
}

void LayerMonitor::beforeUpdate() {
    if (!isDue()) return;
    const double begin = secondsOfThread();
    layers_ = std::make_shared<std::vector<LayerStatistics>>();
    before_.clear();
    for (const Parameter& parameter : state_.parameters()) {
        if (isWatched(parameter)) look(parameter);
    }
    lastCost_ = secondsOfThread() - begin;
}

void LayerMonitor::look(const Parameter& parameter) {
    LayerStatistics& layer = layers_->emplace_back();
    layer.name = parameter.name;
    layer.elements = parameter.data.numElements();
    const Tensor weights = parameter.data.onHost();
    layer.weightNorm = addAll(weights, layer.weights);
    layer.gradientNorm = addAll(parameter.gradient.onHost(), layer.gradients);
    layer.zeroWeights = layer.weights.zeroShare();
    layer.zeroGradients = layer.gradients.zeroShare();
    lookAtUnits(parameter, layer);
    const float* values = weights.values<float>().data();
    forSample(layer.elements, [&](int64_t begin, int64_t end) {
        before_.insert(before_.end(), values + begin, values + end);
    });
}

/// Nothing is known until there have been enough looks.
void LayerMonitor::lookAtUnits(const Parameter& parameter, LayerStatistics& layer) {
    const auto layout = units_.find(parameter.name);
    const bool hasUnits = layout != units_.end() && parameter.gradient.numElements() > 0 &&
                          layout->second.axis < parameter.gradient.shape().size();
    if (!hasUnits) return;
    UnitSilence& silence = silence_.try_emplace(parameter.name, layout->second).first->second;
    silence.look(parameter.gradient.onHost());
    if (silence.looks() < UnitSilence::kLooks) return;
    layer.units = silence.units();
    layer.deadUnits = silence.dead();
}

void LayerMonitor::afterUpdate() {
    if (!layers_) return;
    const double begin = secondsOfThread();
    const float* before = before_.data();
    size_t next = 0;
    for (const Parameter& parameter : state_.parameters()) {
        if (isWatched(parameter)) lookAtUpdate(parameter, (*layers_)[next++], before);
    }
    lastCost_ += secondsOfThread() - begin;
}

void LayerMonitor::lookAtUpdate(const Parameter& parameter, LayerStatistics& layer,
                                const float*& before) {
    const Tensor weights = parameter.data.onHost();
    const float* values = weights.values<float>().data();
    double sum = 0;
    forSample(layer.elements, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const double change = static_cast<double>(values[i]) - *before++;
            sum += change * change;
        }
    });
    const double update = std::sqrt(scaled(sum, layer.elements));
    layer.updateRatio = layer.weightNorm > 0 ? update / layer.weightNorm : 0;
}

std::optional<LayersEvent> LayerMonitor::finishStep(int64_t step, double seconds) {
    elapsed_ += seconds;
    if (!layers_) return std::nullopt;
    spent_ += lastCost_;
    const int64_t previous = std::exchange(lastStep_, step);
    return LayersEvent{step, step - previous, costShare(), std::exchange(layers_, nullptr)};
}

}  // namespace temper
