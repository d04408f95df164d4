// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/runs/run_event.h"

namespace temper {

/// A figure over all samples of an evaluation, fed batch by batch; the division into batches does
/// not change it.
class Metric {
public:
    virtual ~Metric() = default;
    /// The model's predictions for a batch and the targets.
    virtual void add(const Tensor& prediction, const Tensor& target) = 0;
    /// 0 if nothing was added.
    virtual double value() const = 0;
};

struct MetricInfo {
    std::string key;    ///< "accuracy"
    std::string label;  ///< "Accuracy"
    std::string help;   ///< one sentence
    bool higherIsBetter = false;
    std::vector<std::string> losses;  ///< the losses it fits
};

/// Adds a metric after the others. Call it before metrics are used.
/// Throws: Error(InvalidInput) if the key is taken.
void addMetric(MetricInfo info, std::function<std::unique_ptr<Metric>()> make);

/// All metrics besides the loss.
/// accuracy: share of right classes (cross entropy: highest logit; bce: logit > 0). top-5-accuracy:
/// the right class is among the five highest logits. mae: mean absolute error. rmse: root of the
/// mean squared error.
const std::vector<MetricInfo>& metricInfos();

/// All metrics that fit a loss, given by its LossInfo::kind.
std::vector<std::string> fittingMetrics(const std::string& loss);

/// The metrics that fit a loss and are shown if none are chosen.
std::vector<std::string> defaultMetrics(const std::string& loss);

/// Throws: Error(InvalidInput) naming all metrics if the key is unknown; "loss" is known.
void requireKnownMetric(const std::string& key);

/// Throws: Error(InvalidInput) for an unknown metric or one that does not fit the loss, naming
/// those that do.
std::unique_ptr<Metric> makeMetric(const std::string& key, const std::string& loss);

/// Index of the highest logit of each row; of `logits` [N, C, d1, ...], the result has N * d1 * ...
/// entries in the order of the labels [N, d1, ...]. Equal logits: the lower index.
std::vector<int64_t> predictedClasses(const Tensor& logits);

/// Counts pairs of true and predicted classes.
class ConfusionCounter {
public:
    explicit ConfusionCounter(std::vector<std::string> classes);

    /// Labels outside the classes do not count.
    void add(const std::vector<int64_t>& predicted, const Tensor& labels);
    std::shared_ptr<const ConfusionMatrix> result() const;

private:
    ConfusionMatrix matrix_;
};

}  // namespace temper
