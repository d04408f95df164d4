// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/function_inlining.h"
#include "engine/onnx/graph_reader.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/not_a_model.h"
#include "engine/onnx/proto.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kOldestIr = 3;

onnx::ModelProto parseProto(std::span<const std::byte> bytes) {
    if (bytes.size() > kMaxMessageBytes) {
        throw Error(
            ErrorCode::InvalidInput,
            "The file has " + std::to_string(bytes.size()) + " bytes; ONNX models end at 2 GiB.",
            "Save the model with its weights as external data.");
    }
    onnx::ModelProto model;
    const bool parsed = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (!parsed || !model.has_ir_version() || !model.has_graph()) throwNoModel(bytes);
    return model;
}

/// Newer versions than ours only add to the format; what they add is refused where it is met.
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
        throw Error(ErrorCode::InvalidInput, "The model imports version " +
                                                 std::to_string(proto.version()) + " of opset '" +
                                                 domain + "'; expected 1 or more.");
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

void checkImports(const Graph& graph) {
    if (graph.info().onnxOpset() > 0) return;
    for (const Node* node : graph.nodes()) {
        if (!node->domain().empty()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "The model does not say which version of ONNX's operators it uses; " +
                        node->describe() + " needs one.",
                    "Export the model again.");
    }
}

std::unique_ptr<Graph> readModel(std::span<const std::byte> bytes, const fs::path& folder,
                                 const LoadOptions& options) {
    onnx::ModelProto model = parseProto(bytes);
    checkIrVersion(model.ir_version());
    inlineFunctions(model);
    ExternalData externalData(folder);
    std::unique_ptr<Graph> graph = GraphReader(externalData, options).read(*model.mutable_graph());
    graph->info() = readInfo(model);
    checkImports(*graph);
    return graph;
}

}  // namespace

std::unique_ptr<Graph> loadModel(const fs::path& path, LoadOptions options) {
    checkIsFile(path);
    const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return parseModel(file->bytes(), path.string(), folder, options);
}

std::unique_ptr<Graph> parseModel(std::span<const std::byte> bytes,
                                  const std::string& nameForErrors,
                                  const fs::path& folderOfExternalData, LoadOptions options) {
    try {
        return readModel(bytes, folderOfExternalData, options);
    } catch (Error& error) {
        error.addContext("Model '" + nameForErrors + "'");
        throw;
    }
}

}  // namespace temper
