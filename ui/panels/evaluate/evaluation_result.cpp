// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/evaluate/evaluation_result.h"

#include "engine/core/idle_priority.h"

namespace temper::ui {
namespace {

/// Beyond this many classes, single curves are of no use.
constexpr int64_t kMaxCountedClasses = 100;
/// Beyond this many, pairs of classes are not counted.
constexpr int64_t kMaxPairedClasses = 1000;

double shareOfRight(const PredictionSet& set) {
    int64_t right = 0;
    for (int64_t entry = 0; entry < set.entries(); ++entry)
        right += set.predictedClass(entry) == set.labels[static_cast<size_t>(entry)] ? 1 : 0;
    return set.entries() > 0 ? static_cast<double>(right) / static_cast<double>(set.entries()) : 0;
}

void judge(EvaluationResult& result) {
    for (const double loss : result.set.losses)
        result.meanLoss += loss / static_cast<double>(result.set.losses.size());
    if (result.set.kind == TaskKind::Numbers) {
        result.figures = numbersOf(result.set);
        return;
    }
    result.calibration = calibrationOf(result.set);
    if (result.set.width() > kMaxPairedClasses) {
        result.report.accuracy = shareOfRight(result.set);
        return;
    }
    auto confusion = std::make_shared<const ConfusionMatrix>(confusionOf(result.set));
    result.report = reportOf(*confusion);
    result.confusion = std::move(confusion);
    if (result.set.width() > kMaxCountedClasses) return;
    for (int64_t c = 0; c < result.set.width(); ++c) result.curves.push_back(rocOf(result.set, c));
}

}  // namespace

std::shared_ptr<const EvaluationResult> evaluateIdly(const EvaluationRequest& request,
                                                     const std::stop_token& stop) {
    auto result = std::make_shared<EvaluationResult>();
    result->data = request.data;
    result->step = request.weights.step;
    runAtIdlePriority([&] {
        if (!request.weights.artifacts->evalModel)
            throw Error(ErrorCode::State, "Evaluating needs an eval model.");
        Predictor predictor(*request.weights.artifacts->evalModel, *request.weights.state,
                            request.ops);
        PredictionOptions options;
        options.cancelled = [&] { return stop.stop_requested(); };
        options.progress = [&](int64_t done, int64_t) {
            if (request.progress) *request.progress = done;
        };
        result->set = predictDataset(predictor, *request.data, request.binding, options);
        judge(*result);
    });
    return result;
}

}  // namespace temper::ui
