// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>

#include "engine/training/analysis/class_report.h"
#include "engine/training/analysis/prediction_set.h"

namespace temper {

/// Writes a line for each entry. Of classes: sample, position (if samples have several), right,
/// predicted, correct (1 or 0), loss, and the probability of each class; of numbers: sample, loss,
/// and what is right and what is predicted of each output. Numbers have a point in every language
/// and read back as the same ones. Returns: false where `stop` was requested; then there is no
/// file, or the one that was there. Throws: Error(Io) naming the path.
bool exportPredictions(const std::filesystem::path& path, const PredictionSet& set,
                       const std::stop_token& stop = {});

/// Writes a line for each class: class, precision, recall, f1, auc, samples; then "accuracy",
/// "macro avg" and "weighted avg", as scikit-learn names them. `curves` by class; may be empty.
/// Throws: Error(Io) naming the path.
void exportClassReport(const std::filesystem::path& path, const ClassReport& report,
                       const std::vector<RocCurve>& curves);

}  // namespace temper
