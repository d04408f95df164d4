// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/operator_models.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "engine/onnx/proto.h"
#include "tests/support/recent_onnx_tests.h"

namespace temper::test {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The recorded data of input `i`; nullopt if it is not a tensor: the file of a sequence can be
/// read as a tensor without sense.
std::optional<onnx::TensorProto> recorded(const onnx::GraphProto& graph, const fs::path& test,
                                          int i) {
    if (!graph.input(i).type().has_tensor_type()) return std::nullopt;
    onnx::TensorProto tensor;
    const fs::path path = test / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
    if (!fs::exists(path) || !tensor.ParseFromString(contentOf(path))) return std::nullopt;
    if (tensor.data_type() == onnx::TensorProto::UNDEFINED) return std::nullopt;
    return tensor;
}

/// The first floating-point input; -1 if there is none.
int firstFloating(const onnx::GraphProto& graph) {
    for (int i = 0; i < graph.input_size(); ++i) {
        const auto& type = graph.input(i).type();
        if (type.has_tensor_type() && type.tensor_type().elem_type() == onnx::TensorProto::FLOAT) {
            return i;
        }
    }
    return -1;
}

void makeInitializer(onnx::GraphProto& graph, const fs::path& test, int input) {
    std::optional<onnx::TensorProto> tensor = recorded(graph, test, input);
    if (!tensor) return;
    tensor->set_name(graph.input(input).name());
    *graph.add_initializer() = *std::move(tensor);
}

/// Replaces x by x * weight for the nodes that read it.
void addWeight(onnx::GraphProto& graph, const fs::path& test, int input) {
    const std::optional<onnx::TensorProto> data = recorded(graph, test, input);
    if (!data) return;
    const std::string name = graph.input(input).name();
    onnx::TensorProto& weight = *graph.add_initializer();
    weight.set_name("weight");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    *weight.mutable_dims() = data->dims();
    int64_t count = 1;
    for (const int64_t dim : data->dims()) count *= dim;
    for (int64_t i = 0; i < count; ++i) weight.add_float_data(1.0F);
    for (auto& node : *graph.mutable_node()) {
        for (std::string& read : *node.mutable_input()) {
            if (read == name) read = "weighted";
        }
    }
    onnx::NodeProto product;
    product.set_op_type("Mul");
    product.add_input(name);
    product.add_input("weight");
    product.add_output("weighted");
    graph.mutable_node()->Add(std::move(product));
    for (int i = graph.node_size() - 1; i > 0; --i) graph.mutable_node()->SwapElements(i, i - 1);
}

std::string weighted(onnx::ModelProto model, const fs::path& test, bool othersAreConstant) {
    onnx::GraphProto& graph = *model.mutable_graph();
    const int first = firstFloating(graph);
    for (int i = 0; othersAreConstant && i < graph.input_size(); ++i) {
        if (i != first) makeInitializer(graph, test, i);
    }
    if (first >= 0) addWeight(graph, test, first);
    return model.SerializeAsString();
}

std::string folded(onnx::ModelProto model, const fs::path& test) {
    onnx::GraphProto& graph = *model.mutable_graph();
    for (int i = 0; i < graph.input_size(); ++i) makeInitializer(graph, test, i);
    return model.SerializeAsString();
}

}  // namespace

std::vector<OperatorModel> operatorModels(const fs::path& folder, size_t most) {
    std::vector<OperatorModel> models;
    if (!fs::is_directory(folder)) return models;
    for (const auto& entry : fs::directory_iterator(folder)) {
        onnx::ModelProto model;
        const std::string bytes = contentOf(entry.path() / "model.onnx");
        if (bytes.empty() || !model.ParseFromString(bytes)) continue;
        const std::string name = entry.path().filename().string();
        models.push_back({name + ", weighted", weighted(model, entry.path(), false)});
        models.push_back({name + ", constants", weighted(model, entry.path(), true)});
        models.push_back({name + ", folded", folded(model, entry.path())});
    }
    std::erase_if(models, [&](const auto& model) { return model.bytes.size() > most; });
    std::ranges::sort(models, {}, &OperatorModel::name);
    return models;
}

std::vector<fs::path> operatorTests() {
    std::vector<fs::path> folders{TEMPER_ONNX_TESTDATA "/node", recentOnnxTests()};
    std::erase_if(folders, [](const fs::path& folder) { return !fs::is_directory(folder); });
    return folders;
}

}  // namespace temper::test
