// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/model_reader.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "engine/core/error.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/function_inlining.h"
#include "engine/onnx/graph_reader.h"
#include "engine/onnx/graph_repair.h"
#include "engine/onnx/node_check.h"
#include "engine/onnx/repeated_constants.h"

namespace temper {
namespace {

constexpr int64_t kOldestIr = 3;

/// Newer versions only add to the format; additions are refused where they occur.
void checkIrVersion(int64_t version) {
    if (version >= kOldestIr) return;
    throw Error(version < 1 ? ErrorCode::InvalidInput : ErrorCode::Unsupported,
                "The model has ONNX's IR version " + std::to_string(version) + "; expected " +
                    std::to_string(kOldestIr) + " or newer.",
                "Convert it with a current version of ONNX.");
}

/// ORT writes some domains several times; the highest version counts.
void readImport(const onnx::OperatorSetIdProto& proto, ModelInfo& info) {
    const std::string domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    if (proto.version() < 1) {
        throw Error(ErrorCode::InvalidInput,
                    "The model imports version " + std::to_string(proto.version()) +
                        " of the operators of '" + (domain.empty() ? "ai.onnx" : domain) +
                        "'; expected 1 or more.",
                    "Export the model again.");
    }
    int64_t& version = info.opsetImports[domain];
    version = std::max<int64_t>(version, proto.version());
}

ModelInfo readInfo(const onnx::ModelProto& proto) {
    ModelInfo info;
    info.irVersion = proto.ir_version();
    for (const auto& import : proto.opset_import()) readImport(import, info);
    info.producerName = proto.producer_name();
    info.producerVersion = proto.producer_version();
    info.domain = proto.domain();
    info.modelVersion = proto.model_version();
    info.docString = proto.doc_string();
    for (const auto& entry : proto.metadata_props()) info.metadata[entry.key()] = entry.value();
    return info;
}

[[noreturn]] void refuseForeignOpset(const ForeignOpset& opset, const ModelInfo& info) {
    throw Error(
        ErrorCode::Unsupported,
        "Function '" + opset.function + "' uses version " + std::to_string(opset.version) +
            " of ONNX's operators, the model version " + std::to_string(info.onnxOpset()) + ".",
        "Inline the functions first (onnx.inliner), or export the model without functions.");
}

void checkImports(const Graph& graph) {
    if (graph.info().onnxOpset() > 0) return;
    for (const Node* node : graph.nodes()) {
        if (!node->domain().empty()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "The model does not import an opset of ONNX's operators; " + node->describe() +
                        " needs one.",
                    "Export the model again.");
    }
}

}  // namespace

std::unique_ptr<Graph> readModel(onnx::ModelProto& model, const std::filesystem::path& folder,
                                 const LoadOptions& options) {
    checkIrVersion(model.ir_version());
    inlineFunctions(model);
    std::vector<Finding> remarks = dropRepeatedConstants(*model.mutable_graph());
    if (options.remarks != nullptr) {
        std::ranges::move(remarks, std::back_inserter(*options.remarks));
    }
    if (options.faults != nullptr) {
        std::ranges::move(repairGraph(*model.mutable_graph()), std::back_inserter(*options.faults));
    }
    ExternalData externalData(folder);
    GraphReader reader(externalData, options);
    std::unique_ptr<Graph> graph = reader.read(*model.mutable_graph());
    graph->info() = readInfo(model);
    if (options.noteExternalData && externalData.wasRead()) {
        graph->info().metadata[kExternalDataNote] = "true";
    }
    checkImports(*graph);
    checkNodes(*graph);
    if (reader.foreignOpset() != nullptr) {
        if (!options.unifyOpsets) refuseForeignOpset(*reader.foreignOpset(), graph->info());
        options.unifyOpsets(*graph);
    }
    return graph;
}

}  // namespace temper
