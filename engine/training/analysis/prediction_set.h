// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/data/dataset.h"
#include "engine/training/analysis/predictor.h"

namespace temper {

/// Predictions and targets of many samples. An entry is one label or one row of numbers; most
/// models give one per sample.
struct PredictionSet {
    TaskKind kind = TaskKind::Numbers;
    std::vector<std::string> classes;  ///< names; for Numbers: of the outputs, if known
    std::vector<int64_t> samples;      ///< index in the data, by entry
    /// By entry: its position within its sample, from 0; empty if each sample has one entry.
    std::vector<int64_t> places;
    Tensor outputs;               ///< probabilities [entries, classes] or values [entries, K]
    std::vector<int64_t> labels;  ///< right class, by entry; empty for Numbers
    Tensor targets;               ///< right values [entries, K]; empty for classes
    /// By entry: minus the logarithm of the right class's probability, or the mean squared error.
    std::vector<double> losses;

    int64_t entries() const { return static_cast<int64_t>(samples.size()); }
    int64_t width() const { return outputs.rank() == 2 ? outputs.shape()[1] : 0; }
    float output(int64_t entry, int64_t column) const;
    /// The likeliest class; of equal ones, the lowest index.
    int64_t predictedClass(int64_t entry) const;
};

struct PredictionOptions {
    int64_t batchSize = 64;
    /// If there are more samples, this many are drawn evenly.
    int64_t maxSamples = 20'000;
    /// The same for samples with many numbers each, e.g. of a language model: a limit on their
    /// outputs in total, and on those of a batch.
    int64_t maxNumbers = 50'000'000;
    int64_t maxBatchNumbers = 8'000'000;
    std::function<bool()> cancelled = {};                            ///< polled before each batch
    std::function<void(int64_t done, int64_t total)> progress = {};  ///< samples
};

/// What feeds the predictor's inputs, in their order: the bound columns, and defaults of language
/// models (DefaultInputs). Throws: Error(InvalidInput) if an input has neither.
std::vector<BatchField> fieldsFor(const Predictor& predictor, const Dataset& data,
                                  const std::map<std::string, std::string>& binding);

/// Predicts the whole data set; if cancelled, the result covers the samples so far. Entries whose
/// labels are not classes (ignored ones) are omitted.
/// Throws: Error(InvalidInput) if an input is not bound or a column does not fit.
PredictionSet predictDataset(Predictor& predictor, const Dataset& data,
                             const std::map<std::string, std::string>& binding,
                             const PredictionOptions& options);

enum class SampleOrder { Worst, Best, Random };
/// At most `count` entries; `truth` and `predicted` >= 0 restrict them to a cell of the confusion
/// matrix. The same seed draws the same entries.
std::vector<int64_t> chooseEntries(const PredictionSet& set, SampleOrder order, int64_t count,
                                   int64_t truth = -1, int64_t predicted = -1, uint64_t seed = 0);

}  // namespace temper
