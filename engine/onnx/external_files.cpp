// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/external_files.h"

#include <set>

#include "engine/core/file.h"
#include "engine/onnx/not_a_model.h"
#include "engine/onnx/proto.h"
#include "engine/ort/ort_model.h"

namespace temper {
namespace {

using Names = std::set<std::string>;

void collectFrom(const onnx::TensorProto& tensor, Names& names) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location") names.insert(entry.value());
    }
}

void collectFrom(const onnx::GraphProto& graph, Names& names);

template <typename Nodes>
void collectFromNodes(const Nodes& nodes, Names& names) {
    for (const onnx::NodeProto& node : nodes) {
        for (const onnx::AttributeProto& attribute : node.attribute()) {
            if (attribute.has_t()) collectFrom(attribute.t(), names);
            if (attribute.has_g()) collectFrom(attribute.g(), names);
            for (const auto& tensor : attribute.tensors()) collectFrom(tensor, names);
            for (const auto& graph : attribute.graphs()) collectFrom(graph, names);
        }
    }
}

void collectFrom(const onnx::GraphProto& graph, Names& names) {
    for (const auto& tensor : graph.initializer()) collectFrom(tensor, names);
    collectFromNodes(graph.node(), names);
}

}  // namespace

std::vector<std::string> externalFilesOf(const std::filesystem::path& path) {
    checkIsFile(path);
    const std::shared_ptr<const MappedFile> file = MappedFile::open(path);
    if (isOrtModel(file->bytes())) return {};
    onnx::ModelProto model;
    const bool isRead =
        file->bytes().size() <= kMaxMessageBytes &&
        model.ParseFromArray(file->bytes().data(), static_cast<int>(file->bytes().size()));
    if (!isRead) throwNoModel(file->bytes());
    Names names;
    collectFrom(model.graph(), names);
    for (const onnx::FunctionProto& function : model.functions()) {
        collectFromNodes(function.node(), names);
    }
    return {names.begin(), names.end()};
}

}  // namespace temper
