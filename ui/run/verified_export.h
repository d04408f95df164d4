// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/training/export/output_deviation.h"
#include "engine/training/session/training_session.h"

namespace temper::ui {

struct ExportRequest {
    std::filesystem::path path;
    std::vector<std::string> outputs;
    std::shared_ptr<const OpSet> ops;
    /// Reads what the inputs are fed with for the comparison, by their names. Thread: the one that
    /// exports. Throws: Error if a sample can't be read.
    std::function<std::map<std::string, Tensor>()> samples;
    std::filesystem::path checkpoint;   ///< its weights are exported; empty: the session's
    bool average = false;               ///< the average of the weights, see WeightAverage
    bool foldBatchNorms = false;        ///< see foldBatchNorms()
    bool externalData = false;          ///< weights beside the model
    int64_t opset = 0;                  ///< 0: the model's own
    bool asItCame = false;              ///< in half precision, see restoreHalfPrecision()
    bool includeNormalization = false;  ///< see InferenceExport
};

enum class ExportVerdict { Verified, NotVerified, Differs };

/// The exported file, and how well it does what the trained model does.
struct ExportResult {
    std::filesystem::path path;
    size_t fileBytes = 0;  ///< with the data beside it
    size_t foldedBatchNorms = 0;
    size_t nodes = 0;
    int64_t opset = 0;
    size_t normalizedInputs = 0;            ///< whose normalization is in the file
    std::filesystem::path checkpoint = {};  ///< of the weights; empty: the session's
    bool average = false;                   ///< the weights are an average
    int64_t step = 0;                       ///< of the weights
    int64_t samples = 0;                    ///< compared; 0 if there were none
    std::string problem = {};        ///< why the samples could not be compared; empty: they were
    OutputDeviation deviation = {};  ///< from the trained model
    double tolerance = 0;            ///< see OutputDeviation::isWithin()

    ExportVerdict verdict() const;
    bool isVerified() const { return verdict() == ExportVerdict::Verified; }
};

/// Writes the inference model, reads it back, runs it and the eval model on the same samples. The
/// weights are the session's: the request's checkpoint is not read.
/// Throws: Error if the model can't be written; what keeps it from being run is in the result.
ExportResult exportVerified(TrainingSession& session, const ExportRequest& request);

/// The same with the weights of the request's checkpoint, in a separate session. Thread: any.
/// Throws: Error, also for a checkpoint of another model.
ExportResult exportCheckpoint(const Artifacts& artifacts, const ExportRequest& request);

}  // namespace temper::ui
