// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/fuzz/model_mutation.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

namespace temper::test {
namespace {

template <typename List>
void removeAt(List& list, size_t at) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
}

/// The name of an additional value of a body or node.
std::string extraName(size_t number) { return "extra_" + std::to_string(number); }

}  // namespace

ModelMutator::ModelMutator(const std::vector<std::string>& operators,
                           const std::vector<std::string>& donors, uint64_t seed)
    : operators_(operators), donors_(donors), random_(seed) {}

std::string ModelMutator::mutated(const std::string& model) {
    onnx::ModelProto proto;
    if (!proto.ParseFromString(model) || !proto.has_graph()) return model;
    opset_ = opsetOf(proto);
    for (size_t changes = 1 + below(4); changes > 0; --changes) change(proto);
    return proto.SerializeAsString();
}

/// The opset of ONNX's operators; those of other domains have one version.
int64_t ModelMutator::opsetOf(const onnx::ModelProto& model) {
    for (const auto& opset : model.opset_import()) {
        if (opset.domain().empty()) return opset.version();
    }
    return 1;
}

size_t ModelMutator::below(int end) {
    return end <= 0 ? 0 : static_cast<size_t>(random_() % static_cast<uint64_t>(end));
}

/// Mostly small: large sizes are refused or run long, which is not a fault.
int64_t ModelMutator::number() {
    static constexpr std::array<int64_t, 4> kExtremes = {
        std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 1LL << 32, -4096};
    if (below(12) == 0) return kExtremes[below(4)];
    return static_cast<int64_t>(below(10)) - 3;
}

onnx::GraphProto& ModelMutator::anyGraph(onnx::GraphProto& graph) {
    std::vector<onnx::GraphProto*> found = {&graph};
    for (size_t i = 0; i < found.size(); ++i) {
        for (auto& node : *found[i]->mutable_node()) {
            for (auto& attribute : *node.mutable_attribute()) {
                if (attribute.has_g()) found.push_back(attribute.mutable_g());
            }
        }
    }
    return *found[below(static_cast<int>(found.size()))];
}

std::string ModelMutator::valueOf(const onnx::GraphProto& graph) {
    std::vector<std::string> names;
    for (const auto& input : graph.input()) names.push_back(input.name());
    for (const auto& tensor : graph.initializer()) names.push_back(tensor.name());
    for (const auto& node : graph.node()) {
        names.insert(names.end(), node.output().begin(), node.output().end());
    }
    return names.empty() ? std::string() : names[below(static_cast<int>(names.size()))];
}

void ModelMutator::change(onnx::ModelProto& model) {
    onnx::GraphProto& graph = anyGraph(*model.mutable_graph());
    switch (below(12)) {
        case 0: return changeInterface(graph);
        case 1: return changeRank(graph);
        case 2: return changeNumber(graph);
        case 3: return changeList(graph);
        case 4: return takeInAny(graph);
        case 5:
            if (model.opset_import_size() > 0) {
                model.mutable_opset_import(0)->set_version(static_cast<int64_t>(1 + below(24)));
            }
            return;
        default: return changeNode(graph);
    }
}

void ModelMutator::changeNode(onnx::GraphProto& graph) {
    if (graph.node_size() == 0) return;
    onnx::NodeProto& node = *graph.mutable_node(static_cast<int>(below(graph.node_size())));
    switch (below(8)) {
        case 0: return rename(node);
        case 1:
        case 2:
        case 3: return changeInputs(node, graph);
        case 4: return changeOutputs(node);
        default: return changeAttribute(node);
    }
}

/// Most of the time the attributes that the new operator does not know are removed: loading would
/// reject them.
void ModelMutator::rename(onnx::NodeProto& node) {
    const std::string& name = operators_[below(static_cast<int>(operators_.size()))];
    const size_t point = name.rfind('.');
    node.set_domain(point == std::string::npos ? "" : name.substr(0, point));
    node.set_op_type(point == std::string::npos ? name : name.substr(point + 1));
    if (below(4) != 0) dropUnknownAttributes(node);
}

void ModelMutator::changeInputs(onnx::NodeProto& node, const onnx::GraphProto& graph) {
    auto& inputs = *node.mutable_input();
    const size_t at = below(inputs.size());
    switch (below(6)) {
        case 0:
            if (!inputs.empty()) inputs.at(static_cast<int>(at)).clear();
            return;
        case 1:
            if (!inputs.empty()) removeAt(inputs, at);
            return;
        case 2:
            if (!inputs.empty()) node.add_input(inputs.at(static_cast<int>(at)));
            return;
        case 3: return inputs.Clear();
        case 4: return node.add_input(valueOf(graph));
        default:
            if (!inputs.empty()) inputs.at(static_cast<int>(at)) = valueOf(graph);
    }
}

void ModelMutator::changeOutputs(onnx::NodeProto& node) {
    auto& outputs = *node.mutable_output();
    const size_t at = below(outputs.size());
    switch (below(3)) {
        case 0: return node.add_output(extraName(random_() % 1000));
        case 1:
            if (!outputs.empty()) outputs.at(static_cast<int>(at)).clear();
            return;
        default:
            if (!outputs.empty()) removeAt(outputs, at);
    }
}

/// Adds or removes an input or output, mainly for bodies.
void ModelMutator::changeInterface(onnx::GraphProto& graph) {
    switch (below(4)) {
        case 0: return graph.add_output()->set_name(valueOf(graph));
        case 1:
            if (graph.output_size() > 0)
                removeAt(*graph.mutable_output(), below(graph.output_size()));
            return;
        case 2:
            if (graph.input_size() > 0) removeAt(*graph.mutable_input(), below(graph.input_size()));
            return;
        default:
            if (graph.input_size() == 0) return;
            onnx::ValueInfoProto copy = graph.input(static_cast<int>(below(graph.input_size())));
            copy.set_name(extraName(random_() % 1000));
            *graph.add_input() = std::move(copy);
    }
}

/// Changes the rank of an initializer, which keeps its elements, or of an input.
void ModelMutator::changeRank(onnx::GraphProto& graph) {
    if (graph.initializer_size() > 0 && below(2) == 0) {
        auto& tensor =
            *graph.mutable_initializer(static_cast<int>(below(graph.initializer_size())));
        uint64_t count = 1;  // dims may be anything
        for (const int64_t dim : tensor.dims()) count *= static_cast<uint64_t>(dim);
        tensor.clear_dims();
        if (count != 1 || below(2) == 0) tensor.add_dims(static_cast<int64_t>(count));
        if (below(2) == 0 && tensor.dims_size() > 0) tensor.add_dims(1);
        return;
    }
    if (graph.input_size() == 0) return;
    auto& input = *graph.mutable_input(static_cast<int>(below(graph.input_size())));
    auto& type = *input.mutable_type()->mutable_tensor_type();
    auto& dims = *type.mutable_shape()->mutable_dim();
    switch (below(5)) {
        case 0: return dims.Clear();
        case 1: return type.clear_shape();
        case 2: return type.set_elem_type(static_cast<int>(1 + below(16)));
        case 3: return dims.Add()->set_dim_value(static_cast<int64_t>(below(4)));
        default:
            if (!dims.empty()) removeAt(dims, below(dims.size()));
    }
}

/// Changes one element of an integer initializer: axes, shapes, indices.
void ModelMutator::changeNumber(onnx::GraphProto& graph) {
    if (graph.initializer_size() == 0) return;
    auto& tensor = *graph.mutable_initializer(static_cast<int>(below(graph.initializer_size())));
    std::string& raw = *tensor.mutable_raw_data();
    const int64_t given = number();
    if (tensor.int64_data_size() > 0) {
        return tensor.set_int64_data(static_cast<int>(below(tensor.int64_data_size())), given);
    }
    const size_t width = tensor.data_type() == onnx::TensorProto::INT64 ? 8 : 4;
    if (raw.size() < width) return;
    const size_t at = below(static_cast<int>(raw.size() / width)) * width;
    std::memcpy(raw.data() + at, &given, width);
}

/// Duplicates, removes or moves a node.
void ModelMutator::changeList(onnx::GraphProto& graph) {
    if (graph.node_size() == 0) return;
    const size_t at = below(graph.node_size());
    switch (below(3)) {
        case 0: return removeAt(*graph.mutable_node(), at);
        case 1: {
            onnx::NodeProto copy = graph.node(static_cast<int>(at));
            for (auto& output : *copy.mutable_output()) output += "_again";
            if (graph.output_size() > 0 && copy.output_size() > 0) {
                graph.add_output()->set_name(copy.output(0));
            }
            *graph.add_node() = std::move(copy);
            return;
        }
        default:
            graph.mutable_node()->SwapElements(static_cast<int>(at),
                                               static_cast<int>(below(graph.node_size())));
    }
}

}  // namespace temper::test
