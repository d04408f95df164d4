// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <QString>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/error.h"
#include "engine/onnx/graph_text.h"
#include "engine/onnx/model_file.h"

namespace temper::test {

/// What `f` throws, with its hint: "<message> | <hint>"; empty if it throws nothing.
template <typename F>
QString errorOf(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return QString::fromStdString(std::string(error.what()) + " | " + error.hint());
    }
    return {};
}

inline std::span<const std::byte> bytesOf(std::string_view text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

inline std::unique_ptr<Graph> parseBytes(std::string_view bytes) {
    return parseModel(bytesOf(bytes), "m.onnx");
}

inline std::unique_ptr<Graph> parseProto(const onnx::ModelProto& model) {
    return parseBytes(model.SerializeAsString());
}

inline QString textOf(const Graph& graph) { return QString::fromStdString(toText(graph)); }

inline onnx::ValueInfoProto& addValue(onnx::ValueInfoProto& value, const std::string& name) {
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    return value;
}

inline onnx::NodeProto& addNode(onnx::GraphProto& graph, const std::string& op,
                                const std::string& input, const std::string& output) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    node.add_input(input);
    node.add_output(output);
    return node;
}

/// x -> Relu -> y, opset 17.
inline onnx::ModelProto smallModel() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    onnx::OperatorSetIdProto& import = *model.add_opset_import();
    import.set_domain("");
    import.set_version(17);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("small");
    addValue(*graph.add_input(), "x");
    addValue(*graph.add_output(), "y");
    addNode(graph, "Relu", "x", "y").set_name("relu");
    return model;
}

/// A float initializer of the given shape without data.
inline onnx::TensorProto& addInitializer(onnx::ModelProto& model, const std::string& name,
                                         const std::vector<int64_t>& dims) {
    onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const int64_t dim : dims) tensor.add_dims(dim);
    return tensor;
}

}  // namespace temper::test
