// SPDX-License-Identifier: Apache-2.0
#include "engine/training/evaluation/evaluation.h"

#include <algorithm>

#include "engine/data/batch_loader.h"
#include "engine/training/binding/binding.h"
#include "engine/training/binding/target_values.h"
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

    void add(const Batch& batch) {
        const std::span<const Tensor> outputs = session_.evaluate(batch.tensors, values_);
        result_.samples += batch.size;
        lossSum_ += outputs[0].toDouble() * static_cast<double>(batch.size);
        const bool areMade = outputs.size() > 2;
        if (outputs.size() < 2 || (!areMade && target_ >= batch.tensors.size())) return;
        const Tensor& target = areMade ? outputs[2] : batch.tensors[target_];
        for (auto& [key, metric] : metrics_) metric->add(outputs[1], target);
        count(outputs[1], target);
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

    void count(const Tensor& prediction, const Tensor& target) {
        if (info_.kind == "cross-entropy") {
            const int64_t classes = prediction.shape()[1];
            if (classes > kMaxConfusionClasses) return;
            prepare(classes);
            confusion_->add(predictedClasses(prediction), target);
        } else if (info_.kind == "bce-with-logits" &&
                   prediction.numElements() == target.shape()[0]) {
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

Evaluation evaluateDataset(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           const std::vector<std::string>& metrics,
                           const std::function<bool()>& cancelled) {
    Evaluator evaluator(session, data, binding, metrics);
    const std::optional<int64_t> fixed = fixedBatchSize(session, false);
    // the loader is destroyed before this function returns, so it need not own the data
    const std::shared_ptr<const Dataset> borrowed(std::shared_ptr<const void>(), &data);
    const std::vector<RangedTarget> targets = rangedTargets(*session.artifacts().evalModel);
    BatchLoader loader(checkedTargets(borrowed, targets, binding),
                       batchFields(session, data, binding, false),
                       {.batchSize = fixed.value_or(batchSize),
                        .shuffle = false,
                        .varies = false,
                        .dropLast = fixed.has_value()});
    while (!(cancelled && cancelled())) {
        const std::optional<Batch> batch = loader.next();
        if (!batch) break;
        evaluator.add(*batch);
    }
    return evaluator.finish();
}

}  // namespace temper
