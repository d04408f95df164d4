// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/model_mutation.h"

namespace temper::test {
namespace {

constexpr int kMaxNodes = 8;  // more could not be told apart

bool isInputOf(const onnx::GraphProto& graph, const std::string& name) {
    for (const auto& input : graph.input()) {
        if (input.name() == name) return true;
    }
    return false;
}

}  // namespace

std::string ModelMutator::crossed(const std::string& model, const std::string& other) {
    onnx::ModelProto proto, donor;
    if (!proto.ParseFromString(model) || !proto.has_graph()) return model;
    if (!donor.ParseFromString(other) || !donor.has_graph()) return model;
    opset_ = opsetOf(proto);
    onnx::GraphProto& graph = anyGraph(*proto.mutable_graph());
    switch (below(3)) {
        case 0: takeIn(graph, donor.graph()); break;
        case 1: takeOperator(graph, donor.graph()); break;
        default: takeData(graph, donor.graph()); break;
    }
    return proto.SerializeAsString();
}

void ModelMutator::takeInAny(onnx::GraphProto& graph) {
    if (donors_.empty()) return;
    onnx::ModelProto donor;
    const std::string& bytes = donors_[below(static_cast<int>(donors_.size()))];
    if (donor.ParseFromString(bytes)) takeIn(graph, donor.graph());
}

/// The nodes of a donor read a value of this graph, and their result becomes an output.
void ModelMutator::takeIn(onnx::GraphProto& graph, const onnx::GraphProto& donor) {
    if (donor.node_size() > kMaxNodes) return;
    const std::string prefix = "donor" + std::to_string(random_() % 1000) + "_";
    const std::string source = valueOf(graph);
    for (auto tensor : donor.initializer()) {
        tensor.set_name(prefix + tensor.name());
        *graph.add_initializer() = std::move(tensor);
    }
    for (auto node : donor.node()) {
        for (auto& input : *node.mutable_input()) {
            if (!input.empty()) input = isInputOf(donor, input) ? source : prefix + input;
        }
        for (auto& output : *node.mutable_output()) {
            if (!output.empty()) output = prefix + output;
        }
        *graph.add_node() = std::move(node);
    }
    for (const auto& output : donor.output()) {
        graph.add_output()->set_name(prefix + output.name());
    }
}

/// A node computes what a node of the donor does, from its own inputs.
void ModelMutator::takeOperator(onnx::GraphProto& graph, const onnx::GraphProto& donor) {
    if (graph.node_size() == 0 || donor.node_size() == 0) return;
    auto& node = *graph.mutable_node(static_cast<int>(below(graph.node_size())));
    const auto& other = donor.node(static_cast<int>(below(donor.node_size())));
    node.set_domain(other.domain());
    node.set_op_type(other.op_type());
    *node.mutable_attribute() = other.attribute();
    while (node.input_size() < other.input_size()) node.add_input(valueOf(graph));
    if (node.input_size() > other.input_size() && below(4) != 0)
        node.mutable_input()->DeleteSubrange(other.input_size(),
                                             node.input_size() - other.input_size());
}

/// An initializer takes the type, shape and data of one of the donor.
void ModelMutator::takeData(onnx::GraphProto& graph, const onnx::GraphProto& donor) {
    if (graph.initializer_size() == 0 || donor.initializer_size() == 0) return;
    auto& tensor = *graph.mutable_initializer(static_cast<int>(below(graph.initializer_size())));
    const std::string name = tensor.name();
    tensor = donor.initializer(static_cast<int>(below(donor.initializer_size())));
    tensor.set_name(name);
}

}  // namespace temper::test
