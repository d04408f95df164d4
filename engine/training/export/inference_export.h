// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/training/session/training_session.h"

namespace temper {

struct InferenceExport {
    std::filesystem::path path;        ///< .onnx, or .ort for ONNX Runtime's own format
    std::vector<std::string> outputs;  ///< values of the eval model
    bool foldBatchNorms = false;       ///< see foldBatchNorms()
    /// Weights beside the model, in `<path>.data`; not for .ort. Without it they are where the
    /// checkpoint or the model's own file has them, else beside the model only if that is too
    /// large for one file.
    bool externalData = false;
    /// Version of ONNX's opset, see convertOpset(); 0: the model's own.
    int64_t opset = 0;
    /// Other names of inputs and outputs, see renameInputsAndOutputs().
    std::map<std::string, std::string> rename = {};
    /// In the types of the file that the model came from, see restoreHalfPrecision().
    bool asItCame = false;
};

/// What was written.
struct ExportedModel {
    size_t bytes = 0;  ///< with the data beside it
    size_t foldedBatchNorms = 0;
};

/// Throws: Error(InvalidInput) where the path asks for ORT format, which has no data beside a
/// model.
void requireDataBeside(const std::filesystem::path& path);

/// Writes the model for inference, see TrainingSession::inferenceModel().
/// Throws: as that, requireDataBeside(), restoreHalfPrecision(), convertOpset() and
/// renameInputsAndOutputs(); Error(Io).
ExportedModel exportInferenceModel(TrainingSession& session, const InferenceExport& request,
                                   const OpSet& ops);

}  // namespace temper
