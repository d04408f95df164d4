// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>

#include "engine/training/analysis/class_report.h"
#include "engine/training/analysis/prediction_set.h"

namespace temper {

/// Writes a line for each entry. For classes: sample, position (if samples have several), right,
/// predicted, correct (1 or 0), loss, and the probability of each class; for numbers: sample, loss,
/// and the target and prediction of each output. Numbers have a decimal point in every language and
/// read back exactly. Returns: false if `stop` was requested; an existing file is then unchanged.
/// Throws: Error(Io) naming the path.
bool exportPredictions(const std::filesystem::path& path, const PredictionSet& set,
                       const std::stop_token& stop = {});

/// Writes a line for each class: class, precision, recall, f1, auc, samples; then "accuracy",
/// "macro avg" and "weighted avg", as scikit-learn names them. `curves` by class; may be empty.
/// Throws: Error(Io) naming the path.
void exportClassReport(const std::filesystem::path& path, const ClassReport& report,
                       const std::vector<RocCurve>& curves);

}  // namespace temper
