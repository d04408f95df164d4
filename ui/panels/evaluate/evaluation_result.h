// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/ops/op_set.h"
#include "engine/training/analysis/class_report.h"
#include "engine/training/analysis/number_report.h"
#include "engine/training/analysis/prediction_set.h"
#include "ui/panels/evaluate/weight_source.h"

namespace temper::ui {

/// The result of evaluating samples. Immutable.
struct EvaluationResult {
    PredictionSet set;
    std::shared_ptr<const Dataset> data;               ///< the dataset of the entries' samples
    std::shared_ptr<const ConfusionMatrix> confusion;  ///< null for numbers and too many classes
    ClassReport report;                                ///< without confusion, only the accuracy
    std::vector<RocCurve> curves;                      ///< by class; empty for many classes
    Calibration calibration;
    NumberFigures figures;  ///< for numbers
    int64_t step = 0;
    double meanLoss = 0;

    bool isOfClasses() const { return set.kind != TaskKind::Numbers; }
};

struct EvaluationRequest {
    Weights weights;
    std::shared_ptr<const OpSet> ops;
    std::shared_ptr<const Dataset> data;
    std::map<std::string, std::string> binding;
    /// Number of samples done, for observers.
    std::shared_ptr<std::atomic<int64_t>> progress;
};

/// Evaluates the samples at idle priority: a training running meanwhile is not slowed down.
std::shared_ptr<const EvaluationResult> evaluateIdly(const EvaluationRequest& request,
                                                     const std::stop_token& stop);

}  // namespace temper::ui
