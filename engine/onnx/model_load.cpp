// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_group.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/model_reader.h"
#include "engine/onnx/node_check.h"
#include "engine/onnx/not_a_model.h"
#include "engine/onnx/proto.h"
#include "engine/ort/ort_model.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

void parseProto(std::span<const std::byte> bytes, onnx::ModelProto& model) {
    if (bytes.size() > kMaxMessageBytes) {
        throw Error(ErrorCode::InvalidInput,
                    "The file has " + counted(bytes.size(), "byte") +
                        "; the limit of an ONNX file is 2 GiB.",
                    "Save the model with its weights as external data.");
    }
    const bool parsed = model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    if (!parsed || !model.has_ir_version() || !model.has_graph()) throwNoModel(bytes);
}

}  // namespace

bool takeExternalDataNote(Graph& graph) {
    return graph.info().metadata.erase(kExternalDataNote) > 0;
}

std::vector<Finding> withoutStandIns(std::vector<Finding> findings) {
    std::erase_if(findings, [](const Finding& f) { return f.op.starts_with(kFaultDomain); });
    return findings;
}

std::unique_ptr<Graph> loadModel(const fs::path& path, LoadOptions options) {
    finishFileGroup(path.parent_path());
    checkIsFile(path);
    const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    return parseModel(file->bytes(), path.string(), folder, options);
}

std::unique_ptr<Graph> parseModel(std::span<const std::byte> bytes,
                                  const std::string& nameForErrors,
                                  const fs::path& folderOfExternalData, LoadOptions options) {
    try {
        if (isOrtModel(bytes)) {
            std::unique_ptr<Graph> graph = parseOrtModel(bytes);
            checkNodes(*graph);
            return graph;
        }
        ModelMessage model;
        parseProto(bytes, *model);
        return readModel(*model, folderOfExternalData, options);
    } catch (Error& error) {
        error.addContext("Model '" + nameForErrors + "'");
        throw;
    }
}

}  // namespace temper
