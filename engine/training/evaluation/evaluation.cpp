// SPDX-License-Identifier: Apache-2.0
#include "engine/training/evaluation/evaluation.h"

#include <algorithm>
#include <utility>

#include "engine/data/batch_loader.h"
#include "engine/training/binding/binding.h"
#include "engine/training/binding/target_values.h"
#include "engine/training/evaluation/batch_message.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/loss/loss_info.h"
namespace temper {
namespace {

/// With more classes than this, pairs are not counted.
constexpr int64_t kMaxConfusionClasses = 1000;

/// Runs through the batches and sums up their results.
class Evaluator {
public:
    Evaluator(TrainingSession& session, const Dataset& data,
              const std::map<std::string, std::string>& binding,
              const std::vector<std::string>& metrics)
        : session_(session), info_(describeLoss(evalModelOf(session))) {
        values_ = {info_.loss};
        if (!info_.prediction.empty()) values_.push_back(info_.prediction);
        if (!info_.labels.empty()) values_.push_back(info_.labels);
        for (const std::string& key : metrics.empty() ? defaultMetrics(info_.kind) : metrics) {
            if (key != "loss") metrics_[key] = makeMetric(key, info_.kind);
            wantsLoss_ = wantsLoss_ || key == "loss";
        }
        const std::vector<std::string>& inputs = session.inputNames(false);
        target_ = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), info_.target) -
                                      inputs.begin());
        const auto bound = binding.find(info_.target);
        if (bound == binding.end()) return;
        classes_ = data.columns()[data.columnIndex(bound->second)].classes;
    }

    void add(const Batch& batch) { note(compute(batch)); }

    EvaluatedBatch compute(const Batch& batch) {
        const std::span<const Tensor> outputs = session_.evaluate(batch.tensors, values_);
        EvaluatedBatch result{batch.size, outputs[0].toDouble()};
        const bool areMade = outputs.size() > 2;
        if (outputs.size() < 2 || (!areMade && target_ >= batch.tensors.size())) return result;
        const Tensor& prediction = outputs[1];
        const Tensor& target = areMade ? outputs[2] : batch.tensors[target_];
        if (metrics_.empty() && !isCounted(prediction, target)) return result;
        result.prediction = prediction;
        result.target = target;
        return result;
    }

    void note(const EvaluatedBatch& batch) {
        result_.samples += batch.samples;
        lossSum_ += batch.loss * static_cast<double>(batch.samples);
        if (batch.prediction.empty()) return;
        for (auto& [key, metric] : metrics_) metric->add(batch.prediction, batch.target);
        count(batch.prediction, batch.target);
    }

    Evaluation finish() {
        if (result_.samples > 0) lossSum_ /= static_cast<double>(result_.samples);
        result_.loss = lossSum_;
        for (const auto& [key, metric] : metrics_) result_.metrics[key] = metric->value();
        if (wantsLoss_) result_.metrics["loss"] = lossSum_;
        if (confusion_) result_.confusion = confusion_->result();
        return std::move(result_);
    }

private:
    static const Graph& evalModelOf(const TrainingSession& session) {
        if (session.artifacts().evalModel) return *session.artifacts().evalModel;
        throw Error(ErrorCode::State, "The eval model is missing.",
                    "Generate the artifacts with an eval model, and specify it.");
    }

    /// Whether the pairs of true and predicted classes are.
    bool isCounted(const Tensor& prediction, const Tensor& target) const {
        if (info_.kind == "cross-entropy") return prediction.shape()[1] <= kMaxConfusionClasses;
        return info_.kind == "bce-with-logits" && prediction.numElements() == target.shape()[0];
    }

    void count(const Tensor& prediction, const Tensor& target) {
        if (!isCounted(prediction, target)) return;
        if (info_.kind == "cross-entropy") {
            prepare(prediction.shape()[1]);
            confusion_->add(predictedClasses(prediction), target);
        } else {
            prepare(2);
            std::vector<int64_t> predicted;
            for (const float logit : prediction.values<float>()) predicted.push_back(logit > 0);
            confusion_->add(predicted, target);
        }
    }

    /// Uses the class names of the data if the numbers of classes agree.
    void prepare(int64_t classes) {
        if (confusion_) return;
        if (static_cast<int64_t>(classes_.size()) != classes) {
            classes_.clear();
            for (int64_t i = 0; i < classes; ++i) classes_.push_back(std::to_string(i));
        }
        confusion_.emplace(classes_);
    }

    TrainingSession& session_;
    LossInfo info_;
    std::vector<std::string> values_;
    std::map<std::string, std::unique_ptr<Metric>> metrics_;
    bool wantsLoss_ = false;
    size_t target_ = 0;
    std::vector<std::string> classes_;
    std::optional<ConfusionCounter> confusion_;
    Evaluation result_;
    double lossSum_ = 0;
};

}  // namespace

namespace {

/// Of a data set that outlives the loader: every `stride`-th batch from number `first` on.
class EvaluationLoader {
public:
    EvaluationLoader(TrainingSession& session, const Dataset& data,
                     const std::map<std::string, std::string>& binding, int64_t batchSize,
                     int64_t first = 0, int64_t stride = 1)
        : options_(optionsOf(session, batchSize, first, stride)),
          batches_(batchesPerEpoch(data.size(), options_)),
          loader_(checkedTargets({std::shared_ptr<const void>(), &data},
                                 rangedTargets(*session.artifacts().evalModel), binding),
                  batchFields(session, data, binding, false), options_) {}

    std::optional<Batch> next() { return loader_.next(); }
    /// Of all loaders.
    int64_t batches() const { return batches_; }

private:
    static LoaderOptions optionsOf(const TrainingSession& session, int64_t batchSize, int64_t first,
                                   int64_t stride) {
        const std::optional<int64_t> fixed = fixedBatchSize(session, false);
        return {.batchSize = fixed.value_or(batchSize),
                .shuffle = false,
                .firstBatch = first,
                .stride = stride,
                .varies = false,
                .dropLast = fixed.has_value()};
    }

    LoaderOptions options_;
    int64_t batches_;
    BatchLoader loader_;
};

}  // namespace

Evaluation evaluateDataset(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           const std::vector<std::string>& metrics,
                           const std::function<bool()>& cancelled) {
    Evaluator evaluator(session, data, binding, metrics);
    EvaluationLoader loader(session, data, binding, batchSize);
    while (!(cancelled && cancelled())) {
        const std::optional<Batch> batch = loader.next();
        if (!batch) break;
        evaluator.add(*batch);
    }
    return evaluator.finish();
}

/// In rounds: each rank computes a batch, and all note the batches of all, in order. One crosses
/// the network at a time: memory does not grow with the number of ranks.
Evaluation evaluateTogether(TrainingSession& session, const Dataset& data,
                            const std::map<std::string, std::string>& binding, int64_t batchSize,
                            const std::vector<std::string>& metrics, Group& group) {
    Evaluator evaluator(session, data, binding, metrics);
    EvaluationLoader loader(session, data, binding, batchSize, group.rank(), group.size());
    for (int64_t round = 0; round * group.size() < loader.batches(); ++round) {
        const std::optional<Batch> batch = loader.next();
        std::string own = batch ? toMessage(evaluator.compute(*batch)) : std::string();
        const int64_t rest = loader.batches() - round * group.size();
        for (int rank = 0; rank < std::min<int64_t>(group.size(), rest); ++rank) {
            const bool isOwn = rank == group.rank();
            evaluator.note(
                fromMessage(group.broadcast(isOwn ? std::exchange(own, {}) : std::string(), rank)));
        }
    }
    return evaluator.finish();
}

}  // namespace temper
