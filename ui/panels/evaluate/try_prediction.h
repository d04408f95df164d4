// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/training/analysis/predictor.h"
#include "ui/document/loaded_data.h"
#include "ui/panels/evaluate/weight_source.h"

namespace temper::ui {

/// The explanation shown for a prediction.
enum class Explanation { None, Gradient, Occlusion };

/// A model with a snapshot of weights, for one prediction at a time from any thread.
struct TryPredictor {
    std::mutex mutex;
    std::unique_ptr<Predictor> predictor;
    int64_t step = 0;
};
std::shared_ptr<TryPredictor> makeTryPredictor(const Weights& weights,
                                               std::shared_ptr<const OpSet> ops);

struct TryRequest {
    std::shared_ptr<TryPredictor> predictor;
    std::shared_ptr<const LoadedData> data;
    std::map<std::string, std::string> binding;
    /// By column: one sample from the data. Shapes: [1, ...column shape].
    std::map<std::string, Tensor> sample;
    std::string mainColumn;  ///< the column to explain
    Explanation explanation = Explanation::None;
    /// Which of the sample's predictions; below 0: the last for next tokens, else the first.
    int64_t place = -1;
};

struct TryResult {
    TaskKind kind = TaskKind::Numbers;
    std::vector<float> outputs;        ///< probabilities or values
    int64_t best = 0;                  ///< the likeliest class, or 0
    int64_t places = 1;                ///< number of predictions for the sample
    int64_t place = 0;                 ///< index of this prediction
    std::optional<int64_t> madeLabel;  ///< the true label, if the loss derives it from the input
    /// How much each value of the main column matters, in the column's shape without channels for a
    /// picture [H, W], else [F]; empty without an explanation.
    std::vector<float> influence;
    Shape influenceShape;
};

/// Runs at idle priority. Throws: Error if an input is not bound or an operator has no gradient.
TryResult tryOnce(const TryRequest& request, const std::stop_token& stop);

}  // namespace temper::ui
