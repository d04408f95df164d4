// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/ort_model.h"

#include <model_generated.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "engine/core/counted.h"
#include "engine/ort/ort_graph_reader.h"
#include "engine/ort/ort_graph_writer.h"

namespace temper {
namespace {

/// The version with kernel types, and the older one without.
constexpr const char* kVersion = "6";
constexpr const char* kVersionWithoutKernelTypes = "4";
constexpr std::array<std::string_view, 3> kReadableVersions = {"4", "5", "6"};
/// A body of a node is four tables deeper than its graph.
constexpr flatbuffers::uoffset_t kMaxDepth = 128;
constexpr flatbuffers::uoffset_t kMaxTables = 50'000'000;
/// The root's offset, the identifier and the smallest table.
constexpr size_t kSmallestFile = 12;
/// FlatBuffers' offsets are 31 bits.
constexpr size_t kLargestFile = std::numeric_limits<int32_t>::max();
/// Room for everything except tensor data.
constexpr int64_t kHeadBytes = int64_t{128} * 1024 * 1024;

const fbs::Model& verifiedModel(FbsBytes bytes) {
    const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
    if (bytes.size() < kSmallestFile || bytes.size() >= kLargestFile) {
        throwDamaged("The file has " + counted(bytes.size(), "byte") +
                     "; a model in ORT format has from 12 bytes to 2 GiB.");
    }
    flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, kMaxTables);
    if (!fbs::VerifyInferenceSessionBuffer(verifier)) {
        throwDamaged("The file starts like a model in ORT format but is truncated or damaged.");
    }
    const fbs::InferenceSession& root = *fbs::GetInferenceSession(data);
    const std::string version =
        root.ort_version() == nullptr ? "(none)" : root.ort_version()->str();
    if (std::ranges::find(kReadableVersions, version) == kReadableVersions.end()) {
        throw Error(ErrorCode::Unsupported,
                    "The model has ORT format version " + version + "; expected 4, 5 or 6.",
                    "Convert it again with a current version of ONNX Runtime.");
    }
    return required(root.model(), "The file has no model.");
}

std::string textOf(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : text->str();
}

/// ONNX Runtime writes the largest number if the model has no version.
int64_t modelVersionOf(const fbs::Model& model) {
    const int64_t version = model.model_version();
    return version == std::numeric_limits<int64_t>::max() ? 0 : version;
}

ModelInfo readInfo(const fbs::Model& model) {
    ModelInfo info;
    info.irVersion = model.ir_version();
    info.producerName = textOf(model.producer_name());
    info.producerVersion = textOf(model.producer_version());
    info.domain = textOf(model.domain());
    info.modelVersion = modelVersionOf(model);
    info.docString = textOf(model.doc_string());
    for (const auto* import : required(model.opset_import(), "The model imports no opset.")) {
        const std::string domain = textOf(import->domain());
        int64_t& version = info.opsetImports[domain == "ai.onnx" ? "" : domain];
        version = std::max(version, import->version());
    }
    if (model.metadata_props() == nullptr) return info;
    for (const auto* entry : *model.metadata_props()) {
        info.metadata[textOf(entry->key())] = textOf(entry->value());
    }
    return info;
}

/// Constraints of each operator that the graph and its bodies use; nullopt if one is unknown.
using KernelTypesById = std::map<std::string, KernelTypes>;

bool collectKernelTypes(const Graph& graph, const ModelInfo& info, KernelTypesById& found) {
    for (const Node* node : graph.nodes()) {
        std::optional<KernelTypes> types = kernelTypesOf(*node, info);
        if (!types) return false;
        const std::string id =
            node->domain() + ":" + node->opType() + ":" + std::to_string(types->sinceVersion);
        found.emplace(id, std::move(*types));
        for (const auto& [name, attribute] : node->attributes()) {
            const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
            if (body != nullptr && !collectKernelTypes(**body, info, found)) return false;
        }
    }
    return true;
}

/// Domain and version to operators.
using OperatorSets = std::map<std::pair<std::string, int32_t>, std::set<std::string>>;

void collectOperators(const Graph& graph, const ModelInfo& info, OperatorSets& sets) {
    for (const Node* node : graph.nodes()) {
        const std::optional<KernelTypes> types = kernelTypesOf(*node, info);
        const std::string domain = node->domain().empty() ? "ai.onnx" : node->domain();
        sets[{domain, types ? types->sinceVersion : 1}].insert(node->opType());
        for (const auto& [name, attribute] : node->attributes()) {
            const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
            if (body != nullptr) collectOperators(**body, info, sets);
        }
    }
}

/// Adds ONNX Runtime's own domain: it may fuse operators when it loads the model.
std::map<std::string, int64_t> importsOf(const ModelInfo& info) {
    std::map<std::string, int64_t> imports = info.opsetImports;
    imports.emplace(kMicrosoftDomain, 1);
    return imports;
}

class ModelBuilder {
public:
    std::string build(const Graph& graph) {
        KernelTypesById types;
        const bool hasTypes = collectKernelTypes(graph, graph.info(), types);
        const auto model = writeModel(graph);
        flatbuffers::Offset<fbs::KernelTypeStrResolver> resolver;
        if (hasTypes) resolver = writeResolver(types);
        const auto version =
            builder_.CreateString(hasTypes ? kVersion : kVersionWithoutKernelTypes);
        fbs::FinishInferenceSessionBuffer(
            builder_, fbs::CreateInferenceSession(builder_, version, model, {}, resolver));
        return {reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize()};
    }

private:
    flatbuffers::Offset<fbs::Model> writeModel(const Graph& graph) {
        const ModelInfo& info = graph.info();
        const auto root = OrtGraphWriter(builder_, info).write(graph);
        std::vector<flatbuffers::Offset<fbs::OperatorSetId>> imports;
        for (const auto& [domain, version] : importsOf(info)) {
            imports.push_back(
                fbs::CreateOperatorSetId(builder_, builder_.CreateString(domain), version));
        }
        std::vector<flatbuffers::Offset<fbs::StringStringEntry>> metadata;
        for (const auto& [key, value] : info.metadata) {
            const auto text = builder_.CreateString(key);
            metadata.push_back(
                fbs::CreateStringStringEntry(builder_, text, builder_.CreateString(value)));
        }
        const auto importVector = builder_.CreateVector(imports);
        const auto producer = builder_.CreateString(info.producerName);
        const auto producerVersion = builder_.CreateString(info.producerVersion);
        const auto domain = builder_.CreateString(info.domain);
        const auto doc = builder_.CreateString(info.docString);
        const auto graphDoc = builder_.CreateString(graph.docString());
        return fbs::CreateModel(builder_, info.irVersion, importVector, producer, producerVersion,
                                domain, info.modelVersion, doc, root, graphDoc,
                                builder_.CreateVector(metadata));
    }

    flatbuffers::Offset<fbs::KernelTypeStrResolver> writeResolver(const KernelTypesById& types) {
        std::vector<flatbuffers::Offset<fbs::OpIdKernelTypeStrArgsEntry>> operators;
        for (const auto& [id, kernelTypes] : types) {
            const auto constraints = writeConstraints(kernelTypes);
            operators.push_back(fbs::CreateOpIdKernelTypeStrArgsEntry(
                builder_, builder_.CreateString(id), constraints));
        }
        return fbs::CreateKernelTypeStrResolver(builder_,
                                                builder_.CreateVectorOfSortedTables(&operators));
    }

    flatbuffers::Offset<FbsVector<fbs::KernelTypeStrArgsEntry>> writeConstraints(
        const KernelTypes& types) {
        std::vector<flatbuffers::Offset<fbs::KernelTypeStrArgsEntry>> entries;
        for (const auto& [key, arguments] : types.constraints) {
            std::vector<flatbuffers::Offset<fbs::ArgTypeAndIndex>> bound;
            for (const FormalArgument& argument : arguments) {
                const auto kind = argument.isOutput ? fbs::ArgType::OUTPUT : fbs::ArgType::INPUT;
                bound.push_back(fbs::CreateArgTypeAndIndex(builder_, kind, argument.index));
            }
            const auto vector = builder_.CreateVector(bound);
            entries.push_back(fbs::CreateKernelTypeStrArgsEntry(
                builder_, builder_.CreateSharedString(key), vector));
        }
        return builder_.CreateVectorOfSortedTables(&entries);
    }

    flatbuffers::FlatBufferBuilder builder_;
};

std::unique_ptr<Graph> readVerified(FbsBytes bytes) {
    const fbs::Model& model = verifiedModel(bytes);
    std::unique_ptr<Graph> graph =
        OrtGraphReader(bytes).read(required(model.graph(), "The model has no graph."));
    graph->info() = readInfo(model);
    graph->setDocString(textOf(model.graph_doc_string()));
    return graph;
}

}  // namespace

bool isOrtModel(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    // A ModelProto whose producer name begins like that has the identifier at the same place; but
    // no field of a message begins with a zero, and the root table is within the first 64 KiB.
    return text.size() >= 8 && text.substr(4, 4) == fbs::InferenceSessionIdentifier() &&
           text[2] == '\0' && text[3] == '\0';
}

std::unique_ptr<Graph> parseOrtModel(std::span<const std::byte> bytes) {
    return withAlignedBytes(bytes, readVerified);
}

std::string serializeOrtModel(const Graph& graph) {
    const int64_t bytes = tensorBytesOf(graph);
    if (bytes > static_cast<int64_t>(kLargestFile) - kHeadBytes) {
        throw Error(ErrorCode::Unsupported,
                    "The model has " + counted(bytes, "byte") +
                        " of tensors; the limit of ORT format is 2 GiB.",
                    "Save it as an ONNX model, with external data.");
    }
    return ModelBuilder().build(graph);
}

std::string requiredOperators(const Graph& graph) {
    OperatorSets sets;
    collectOperators(graph, graph.info(), sets);
    std::string text;
    for (const auto& [version, names] : sets) {
        text += version.first + ";" + std::to_string(version.second) + ";";
        for (const std::string& name : names) text += (text.ends_with(';') ? "" : ",") + name;
        text += "\n";
    }
    return text;
}

}  // namespace temper
