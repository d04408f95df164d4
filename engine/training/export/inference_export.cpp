// SPDX-License-Identifier: Apache-2.0
#include "engine/training/export/inference_export.h"

#include <system_error>

#include "engine/onnx/model_file.h"
#include "engine/onnx/required_outputs.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/renaming.h"
#include "engine/training/export/batch_norm_folding.h"
#include "engine/training/export/normalization_nodes.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/session/run_properties.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

/// Metadata: a JSON array of the names, by index.
constexpr const char* kClassesKey = "classes";
/// Metadata: toJson() of the normalizations of the inputs.
constexpr const char* kNormalizationKey = "normalization";
constexpr int64_t kSmallestBeside = 65;  // minimum bytes of a tensor; ONNX Runtime's limit

size_t sizeOf(const fs::path& path) {
    std::error_code absent;
    const auto bytes = fs::file_size(path, absent);
    return absent ? 0 : static_cast<size_t>(bytes);
}

InputNormalizations ofInputs(const Graph& model, const InputNormalizations& all) {
    InputNormalizations used;
    for (const auto& [name, normalization] : all) {
        const Value* input = model.find(name);
        if (input != nullptr && input->isGraphInput()) used.emplace(name, normalization);
    }
    return used;
}

InputNormalizations renamed(const InputNormalizations& inputs,
                            const std::map<std::string, std::string>& names) {
    InputNormalizations result;
    for (const auto& [name, normalization] : inputs) {
        const auto found = names.find(name);
        result.emplace(found == names.end() ? name : found->second, normalization);
    }
    return result;
}

}  // namespace

void requireDataBeside(const fs::path& path) {
    if (!isOrtPath(path)) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + path.string() + "' can't be written: ORT format has no external data.",
                "Choose a file that ends in .onnx, or keep the weights in the model.");
}

std::vector<std::string> keepTensorOutputs(Graph& written,
                                           const std::vector<std::string>& outputs) {
    std::vector<std::string> names;
    std::vector<Value*> kept;
    for (size_t i = 0; i < outputs.size(); ++i) {
        Value* output = written.outputs()[i];
        if (!output->type().isTensor()) continue;
        names.push_back(outputs[i]);
        kept.push_back(output);
    }
    written.setOutputs(std::move(kept));
    return names;
}

ExportedModel exportInferenceModel(TrainingSession& session, const InferenceExport& request,
                                   const OpSet& ops) {
    if (request.externalData) requireDataBeside(request.path);
    const std::unique_ptr<Graph> model = session.inferenceModel(request.outputs);
    ExportedModel result;
    if (request.asItCame) {
        restoreHalfPrecision(*model, ops.catalog);
    } else {
        forgetHalfPrecision(*model);
    }
    const InputNormalizations normalizations = keptNormalizations(session.state());
    if (request.includeNormalization) {
        result.normalized = addNormalizationNodes(*model, normalizations);
    } else if (const auto used = ofInputs(*model, normalizations); !used.empty()) {
        model->info().metadata[kNormalizationKey] = toJson(renamed(used, request.rename));
    }
    if (const auto classes = keptClassNames(session.state())) {
        model->info().metadata[kClassesKey] = *classes;
    }
    if (request.foldBatchNorms) result.foldedBatchNorms = foldBatchNorms(*model, ops.catalog);
    renameInputsAndOutputs(*model, request.rename);
    if (request.opset > 0) convertOpset(*model, ops.catalog, request.opset);
    if (isOrtPath(request.path)) completeForOrtFormat(*model, ops.catalog);
    const bool wasBeside = takeExternalDataNote(*model) && !isOrtPath(request.path);
    const bool isBeside = request.externalData || wasBeside || session.state().hasExternalData();
    saveModel(*model, request.path,
              {.externalData = isBeside, .externalDataThreshold = kSmallestBeside});
    fs::path data = request.path;
    data += ".data";
    result.bytes = sizeOf(request.path) + (isBeside ? sizeOf(data) : 0);
    return result;
}

}  // namespace temper
