// SPDX-License-Identifier: Apache-2.0
#include "app/cli/inspection.h"

#include <algorithm>
#include <set>

#include "engine/autodiff/gradient_graph.h"
#include "engine/autodiff/trainability.h"
#include "engine/autodiff/weight_hints.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/ir/blocks.h"
#include "engine/ir/tensor_sources.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/model_file.h"
#include "engine/provenance/module_names.h"
#include "engine/provenance/sharing.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/artifacts/names_beside.h"
#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/edits/free_batch.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/parameters/parameter_selection.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kResetFlag = "lazy_reset_grad";

bool isCheckpointFile(const fs::path& path) {
    constexpr std::string_view kIdentifier = "ODTC";  // after the root offset
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return false;  // opening the file reports why
    const std::string head = readFile(path, 2 * kIdentifier.size());
    return head.size() == 2 * kIdentifier.size() && head.ends_with(kIdentifier);
}

bool hasOperator(const Graph& model, std::string_view opType) {
    return std::ranges::any_of(model.nodes(),
                               [&](const Node* node) { return node->opType() == opType; });
}

std::string kindOf(const Graph& model) {
    if (hasOperator(model, "AdamWOptimizer") || hasOperator(model, "SGDOptimizerV2")) {
        return "optimizer";
    }
    if (model.find(kResetFlag) != nullptr) return "training";
    const LossInfo loss = describeLoss(model);
    const bool givesLoss = !loss.targets.empty() && !model.outputs().empty() &&
                           model.outputs().front()->name() == loss.loss;
    return givesLoss ? "eval" : "model";
}

std::vector<FeedInput> outputsOf(const Graph& model) {
    std::vector<FeedInput> outputs;
    for (const Value* output : model.outputs()) outputs.push_back({output->name(), output->type()});
    return outputs;
}

int64_t bytesOf(DType dtype, const SymbolicShape& shape) {
    const std::optional<Shape> concrete = concreteShape(shape);
    return concrete ? numElements(*concrete) * static_cast<int64_t>(dtypeSize(dtype)) : 0;
}

InspectedParameter makeParameter(const std::string& name, DType dtype, const SymbolicShape& shape,
                                 std::string_view parameterClass, bool trainable) {
    return {name, dtype, shape, std::string(parameterClass), trainable, bytesOf(dtype, shape)};
}

/// For a training model: the inputs that have a gradient buffer.
void addTrainedInputs(const Graph& model, Inspection& result) {
    for (const Value* input : model.inputs()) {
        if (model.find(gradientBufferOf(input->name())) == nullptr) continue;
        result.parameters.push_back(makeParameter(input->name(), input->type().dtype,
                                                  input->type().shape.value_or(SymbolicShape{}),
                                                  "trainable", true));
    }
}

/// The names of parameters in the module, if they differ from the current ones.
void addModuleNames(const ModuleNames& names, Inspection& result) {
    for (InspectedParameter& parameter : result.parameters)
        parameter.moduleNames = moduleNamesOf(names, parameter.name);
}

void addInitializers(const std::vector<ParameterInfo>& initializers, Inspection& result) {
    for (const ParameterInfo& info : initializers) {
        const bool trainable =
            result.kind == "model" && info.parameterClass == ParameterClass::Trainable;
        InspectedParameter& made = result.parameters.emplace_back(
            makeParameter(info.name, info.dtype, symbolicShape(info.shape),
                          parameterClassName(info.parameterClass), trainable));
        made.reason = info.reason;
        made.moduleNames = info.parameters;
    }
}

/// What keeps gradients of the model's outputs from its trainable parameters; changes the model.
std::vector<Finding> trainabilityOf(Graph& model, const OpSet& ops,
                                    const std::vector<InspectedParameter>& parameters) {
    const std::vector<Value*> outputs = outputsOfNumbers(model);
    std::vector<Value*> trainable;
    for (const InspectedParameter& parameter : parameters) {
        Value* value = parameter.trainable ? model.find(parameter.name) : nullptr;
        if (value != nullptr) trainable.push_back(value);
    }
    if (outputs.empty() || trainable.empty()) return {};
    std::vector<Finding> findings =
        analyzeTrainability(model, ops.catalog, ops.gradients, outputs, trainable);
    offerReplacements(model, findings);
    const bool isBlocked = hasErrors(findings);
    for (Finding& found : tryGradients(model, ops.catalog, ops.gradients, outputs, trainable)) {
        // After another problem, a parameter that gets no gradient is no news.
        if (!isBlocked || found.code != "G003") findings.push_back(std::move(found));
    }
    return findings;
}

/// Parameters that an error names do not train, whatever their class.
void markBlocked(Inspection& result) {
    std::set<std::string> blocked;
    for (const Finding& finding : result.findings) {
        if (finding.severity != Severity::Error) continue;
        blocked.insert(finding.parameters.begin(), finding.parameters.end());
    }
    for (InspectedParameter& parameter : result.parameters) {
        if (blocked.contains(parameter.name)) parameter.trainable = false;
    }
}

/// Nothing trains in a model that contradicts itself.
void markAllBlocked(Inspection& result) {
    for (InspectedParameter& parameter : result.parameters) parameter.trainable = false;
}

void addGraph(const Graph& model, const OpSet& ops, Inspection& result) {
    result.outputs = outputsOf(model);
    result.opsets = model.info().opsetImports;
    for (const Node* node : model.nodes()) ++result.operators[node->qualifiedOp()];
    for (const Block& block : recognizeBlocks(model, ops.catalog)) {
        InspectedBlock& inspected = result.blocks[block.kind].emplace_back();
        inspected.name = block.name;
        for (const Node* node : block.nodes) {
            inspected.nodes.push_back(node->name().empty() ? node->output(0)->name()
                                                           : node->name());
        }
    }
}

void requireNoFixedInputs(const FixedInputs& fixedInputs, const fs::path& path) {
    if (fixedInputs.empty()) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + path.string() + "' is not a forward model: its inputs can't be constants.",
                "Create artifacts of the model with --fix-input.");
}

/// Operators without types (T001) matter only if they remain in the part that trains.
void dropOperatorsFoldedAway(const std::vector<Finding>& left, std::vector<Finding>& findings) {
    std::erase_if(findings, [&left](const Finding& finding) {
        return finding.code == "T001" && std::ranges::none_of(left, [&](const Finding& other) {
                   return other.code == finding.code && other.op == finding.op;
               });
    });
}

/// What trains if artifacts are made without choices: the exporter's changes to parameters are
/// undone, here also in the model, and control flow that constants decide is gone.
std::unique_ptr<Graph> restoredForTraining(Graph& model, const OpSet& ops,
                                           std::vector<Finding>& remarks) {
    std::ranges::move(restoreSharing(model, ops.catalog, {}), std::back_inserter(remarks));
    inferTypes(model, ops.catalog);
    return foldedForTraining(model, ops, {});
}

/// The parameters that artifacts have without choices, and what keeps them from training. Changes
/// the model.
void addRestored(Graph& model, const OpSet& ops, Inspection& result) {
    std::vector<Finding> changes;
    const std::unique_ptr<Graph> restored = restoredForTraining(model, ops, changes);
    dropOperatorsFoldedAway(inferTypes(*restored, ops.catalog), result.findings);
    addInitializers(classifyParameters(model, ops.catalog), result);
    // Parameters of the branches that constants select also train.
    std::vector<ParameterInfo> chosen = classifyParameters(*restored, ops.catalog);
    std::erase_if(chosen,
                  [&model](const ParameterInfo& info) { return model.find(info.name) != nullptr; });
    addInitializers(chosen, result);
    widenHalfPrecision(*restored, ops.catalog);
    if (auto remark = remarkOnHalfPrecision(*restored)) result.findings.push_back(*remark);
    if (auto remark = remarkOnFixedBatch(*restored)) result.findings.push_back(*remark);
    std::ranges::move(changes, std::back_inserter(result.findings));
    const auto parameters = classifyParameters(*restored, ops.catalog);
    std::ranges::move(findHiddenWeights(*restored, ops.catalog, parameters),
                      std::back_inserter(result.findings));
    if (!hasErrors(result.findings)) {
        std::ranges::move(trainabilityOf(*restored, ops, result.parameters),
                          std::back_inserter(result.findings));
    }
    dropRepeatedFindings(result.findings);
    markBlocked(result);
}

Inspection inspectModel(const fs::path& path, const OpSet& ops, const FixedInputs& fixedInputs) {
    Inspection result;
    std::vector<Finding> remarks;
    const std::unique_ptr<Graph> model = loadModel(path, {.remarks = &remarks,
                                                          .unifyOpsets = opsetUnifier(ops.catalog),
                                                          .faults = &result.findings});
    const bool isFaulty = !result.findings.empty();
    std::ranges::move(remarks, std::back_inserter(result.findings));
    fixInputs(*model, ops, fixedInputs);
    std::ranges::move(withoutStandIns(inferTypes(*model, ops.catalog)),
                      std::back_inserter(result.findings));
    result.kind = kindOf(*model);
    if (result.kind != "model") requireNoFixedInputs(fixedInputs, path);
    result.inputs = feedInputsOf(*model);
    addGraph(*model, ops, result);
    if (result.kind == "training") {
        addTrainedInputs(*model, result);
        addModuleNames(moduleNamesIn(*model), result);
    }
    if (result.kind == "model")
        addRestored(*model, ops, result);
    else
        addInitializers(classifyParameters(*model, ops.catalog), result);
    if (isFaulty) markAllBlocked(result);
    return result;
}

Inspection inspectFolder(const fs::path& folder, const std::string& prefix, const OpSet& ops) {
    const ArtifactPaths paths = ArtifactPaths::presentIn(folder, prefix);
    if (!fs::exists(paths.trainingModel)) {
        throw Error(
            ErrorCode::InvalidInput,
            "The folder '" + folder.string() + "' has no file '" + prefix + "training_model.onnx'.",
            "Specify a folder of training artifacts, or a file in it.");
    }
    const Artifacts artifacts = loadArtifacts(paths, ops);
    Inspection result = inspectCheckpoint(artifacts.checkpoint);
    result.kind = "artifacts";
    addGraph(*artifacts.trainingModel, ops, result);
    addModuleNames(moduleNamesIn(*artifacts.trainingModel), result);
    std::set<std::string> internal{std::string(kResetFlag)};
    for (const InspectedParameter& parameter : result.parameters) {
        internal.insert(parameter.name);
        internal.insert(gradientBufferOf(parameter.name));
    }
    for (const FeedInput& input : feedInputsOf(*artifacts.trainingModel)) {
        if (!internal.contains(input.name)) result.inputs.push_back(input);
    }
    return result;
}

}  // namespace

Inspection inspectCheckpoint(const CheckpointFile& checkpoint, const ModuleNames& names) {
    Inspection result;
    result.kind = "checkpoint";
    result.isNominal = checkpoint.isNominal;
    result.properties = checkpoint.properties;
    result.optimizerGroups = checkpoint.optimizerGroups;
    for (const NamedTensor& tensor : checkpoint.trainable) {
        result.parameters.push_back(makeParameter(tensor.name, tensor.data.dtype(),
                                                  symbolicShape(tensor.data.shape()), "trainable",
                                                  true));
    }
    for (const NamedTensor& tensor : checkpoint.frozen) {
        result.parameters.push_back(makeParameter(
            tensor.name, tensor.data.dtype(), symbolicShape(tensor.data.shape()), "frozen", false));
    }
    addModuleNames(names, result);
    return result;
}

Inspection inspectPath(const fs::path& path, const std::string& prefix, const OpSet& ops,
                       const FixedInputs& fixedInputs) {
    const bool isLegacyCheckpoint = isCheckpointFolder(path);
    const bool isFolder = fs::is_directory(path) && !isLegacyCheckpoint;
    const bool isCheckpoint = isLegacyCheckpoint || (!isFolder && isCheckpointFile(path));
    if (!isFolder && !isCheckpoint) return inspectModel(path, ops, fixedInputs);
    requireNoFixedInputs(fixedInputs, path);
    return isFolder ? inspectFolder(path, prefix, ops)
                    : inspectCheckpoint(loadCheckpoint(path), moduleNamesBeside(path));
}

}  // namespace temper::cli
