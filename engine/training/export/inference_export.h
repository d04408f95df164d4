// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/training/session/input_normalization.h"
#include "engine/training/session/training_session.h"

namespace temper {

struct InferenceExport {
    std::filesystem::path path;        ///< .onnx, or .ort for ONNX Runtime's own format
    std::vector<std::string> outputs;  ///< values of the eval model
    bool foldBatchNorms = false;       ///< see foldBatchNorms()
    /// Puts weights next to the model, in `<path>.data`; not for .ort. Otherwise they stay where
    /// the checkpoint or the model's own file has them, or go next to the model only if it is too
    /// large for one file.
    bool externalData = false;
    /// Version of ONNX's opset, see convertOpset(); 0: the model's own.
    int64_t opset = 0;
    /// New names of inputs and outputs, see renameInputsAndOutputs().
    std::map<std::string, std::string> rename = {};
    /// In the types of the file that the model came from, see restoreHalfPrecision().
    bool asItCame = false;
    /// The model takes values as the data source has them, see addNormalizationNodes(). Otherwise
    /// its metadata says how they were normalized, under "normalization".
    bool includeNormalization = false;
};

/// What was written.
struct ExportedModel {
    size_t bytes = 0;  ///< including the data next to it
    size_t foldedBatchNorms = 0;
    InputNormalizations normalized = {};  ///< inputs whose normalization is in the model now
};

/// Throws: Error(InvalidInput) if the path requests ORT format, which can't have data next to a
/// model.
void requireDataBeside(const std::filesystem::path& path);

/// Removes outputs of a written model that are no tensors: runs are compared by their tensors.
/// `outputs` are its outputs by the names of the eval model. Returns: those that stay.
std::vector<std::string> keepTensorOutputs(Graph& written, const std::vector<std::string>& outputs);

/// Writes the model for inference, see TrainingSession::inferenceModel().
/// Throws: as inferenceModel(), requireDataBeside(), restoreHalfPrecision(), convertOpset() and
/// renameInputsAndOutputs(); Error(Io).
ExportedModel exportInferenceModel(TrainingSession& session, const InferenceExport& request,
                                   const OpSet& ops);

}  // namespace temper
