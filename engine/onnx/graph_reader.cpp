// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_reader.h"

#include <utility>

#include "engine/core/counted.h"
#include "engine/core/error.h"
#include "engine/core/string_tensor.h"
#include "engine/ir/backward_mark.h"
#include "engine/onnx/foreign_opset.h"
#include "engine/onnx/metadata_fields.h"
#include "engine/onnx/tensor_reader.h"

namespace temper {
namespace {

std::string quoted(const std::string& name) { return "'" + name + "'"; }

/// "ai.onnx" is the long name of the default domain.
std::string normalizedDomain(const std::string& domain) {
    return domain == "ai.onnx" ? std::string(kOnnxDomain) : domain;
}

/// Runs `f`; errors name the node in which they happened.
template <typename F>
decltype(auto) inNode(const onnx::NodeProto& proto, F&& f) {
    try {
        return f();
    } catch (Error& error) {
        error.addContext(describeNode(proto));
        throw;
    }
}

ValueType readValueType(const onnx::ValueInfoProto& proto, const std::string& what) {
    return readType(proto.type(), what + " " + quoted(proto.name()));
}

ValueType readKnownType(const onnx::TypeProto& proto, const std::string& what) {
    ValueType type = readType(proto, what);
    if (type.isKnown()) return type;
    const std::string kind = unsupportedKind(proto);
    throw Error(ErrorCode::Unsupported,
                what + " is the type of " + (kind.empty() ? "nothing" : kind) +
                    "; expected that of a tensor, a sequence of tensors or an optional.");
}

/// Gives a value its metadata and, if it has none, the declared type; inputs and initializers have
/// theirs.
void applyInfo(const onnx::ValueInfoProto& proto, Graph& graph) {
    Value* value = graph.find(proto.name());
    if (value == nullptr) return;
    if (Metadata metadata = readMetadata(proto); !metadata.empty()) {
        value->setMetadata(std::move(metadata));
    }
    if (!value->type().isKnown()) value->setType(readValueType(proto, "Value"));
}

void applyInfos(const onnx::GraphProto& proto, Graph& graph) {
    for (const auto* infos : {&proto.input(), &proto.value_info(), &proto.output()}) {
        for (const auto& info : *infos) applyInfo(info, graph);
    }
}

/// The attribute's kind; files of early IR versions omit it.
onnx::AttributeProto::AttributeType typeOf(const onnx::AttributeProto& proto) {
    using Type = onnx::AttributeProto;
    if (proto.type() != Type::UNDEFINED) return proto.type();
    if (proto.has_f()) return Type::FLOAT;
    if (proto.has_i()) return Type::INT;
    if (proto.has_s()) return Type::STRING;
    if (proto.has_t()) return Type::TENSOR;
    if (proto.has_g()) return Type::GRAPH;
    if (proto.has_tp()) return Type::TYPE_PROTO;
    if (proto.floats_size() > 0) return Type::FLOATS;
    if (proto.ints_size() > 0) return Type::INTS;
    if (proto.strings_size() > 0) return Type::STRINGS;
    return Type::UNDEFINED;
}

template <typename T, typename Field>
Tensor vectorTensor(const Field& field) {
    const std::vector<T> values(field.begin(), field.end());
    return Tensor::of<T>({static_cast<int64_t>(values.size())}, std::span<const T>(values));
}

Tensor textsTensor(const google::protobuf::RepeatedPtrField<std::string>& field) {
    const std::vector<std::string> texts(field.begin(), field.end());
    return stringTensor({static_cast<int64_t>(texts.size())}, std::span<const std::string>(texts));
}

}  // namespace

Value* GraphReader::Scope::resolve(const std::string& name) const {
    if (Value* value = graph.find(name)) return value;
    const Value* found = outer == nullptr ? nullptr : outer->resolve(name);
    return found == nullptr ? nullptr : graph.addCapture(name, found->type());
}

std::unique_ptr<Graph> GraphReader::read(onnx::GraphProto& proto, const Scope* outer) {
    auto graph = std::make_unique<Graph>();
    graph->setName(proto.name());
    graph->setDocString(proto.doc_string());
    graph->setMetadata(readMetadata(proto));
    readInitializers(proto, *graph);
    readInputs(proto, *graph, outer != nullptr);
    const std::vector<PendingNode> pending = defineNodes(proto, *graph);
    applyInfos(proto, *graph);
    const Scope scope{*graph, outer};
    for (const PendingNode& node : pending) {
        inNode(*node.proto, [&] { connect(node, scope); });
    }
    for (const auto& output : proto.output()) readOutput(output.name(), scope);
    graph->topologicalOrder();  // refuses cycles
    return graph;
}

void GraphReader::readOutput(const std::string& name, const Scope& scope) {
    Graph& graph = scope.graph;
    Value* value = scope.resolve(name);
    if (value == nullptr) {
        throw Error(
            ErrorCode::InvalidInput,
            "Output " + quoted(name) + " of graph " + quoted(graph.name()) +
                " is not defined; expected the output of a node, an initializer or an input.");
    }
    const bool isBody = scope.outer != nullptr;
    if (isBody && value->isGraphOutput()) {
        // Loops often pass a state on and collect it, too; outputs of bodies count by position.
        const Node* copy = graph.addNode(
            {.opType = "Identity", .inputs = {value}, .outputs = {graph.uniqueName(name)}});
        copy->output(0)->setType(value->type());
        value = copy->output(0);
    }
    graph.addOutput(value);
}

void GraphReader::readInitializers(onnx::GraphProto& proto, Graph& graph) {
    if (proto.sparse_initializer_size() > 0) {
        throw Error(
            ErrorCode::Unsupported,
            "Initializer " + quoted(proto.sparse_initializer(0).values().name()) + " is sparse.",
            "Export the model with dense weights.");
    }
    for (auto& tensor : *proto.mutable_initializer()) {
        const std::string what = "Initializer " + quoted(tensor.name());
        graph.addInitializer(tensor.name(), readTensor(tensor, externalData_, what));
    }
}

void GraphReader::readInputs(const onnx::GraphProto& proto, Graph& graph, bool isBody) {
    for (const auto& input : proto.input()) {
        const Value* known = graph.find(input.name());
        if (known != nullptr && known->isInitializer()) continue;
        const std::string kind = unsupportedKind(input.type());
        if (!kind.empty()) {
            throw Error(ErrorCode::Unsupported,
                        "Input " + quoted(input.name()) + " is " + kind +
                            "; expected a tensor or a sequence of tensors.");
        }
        ValueType type = readValueType(input, "Input");
        if (!type.isKnown() && !isBody) {
            throw Error(ErrorCode::InvalidInput,
                        "Input " + quoted(input.name()) + " has no type; expected a tensor.",
                        "Export the model again.");
        }
        graph.addInput(input.name(), std::move(type));
    }
}

std::vector<GraphReader::PendingNode> GraphReader::defineNodes(onnx::GraphProto& proto,
                                                               Graph& graph) {
    std::vector<PendingNode> pending;
    for (auto& node : *proto.mutable_node()) {
        if (inNode(node, [&] { return liftConstant(node, graph); })) continue;
        if (node.op_type().empty()) {
            throw Error(ErrorCode::InvalidInput,
                        "Node " + quoted(node.name()) + " has no operator type.");
        }
        NodeSpec spec;
        spec.opType = node.op_type();
        spec.domain = normalizedDomain(node.domain());
        spec.name = node.name();
        readFileDocString(spec, node.doc_string());
        spec.inputs.resize(static_cast<size_t>(node.input_size()), nullptr);
        spec.outputs.assign(node.output().begin(), node.output().end());
        Node* made = inNode(node, [&] { return graph.addNode(std::move(spec)); });
        inNode(node, [&] { readNotes(node, made); });
        pending.push_back({made, &node});
    }
    return pending;
}

void GraphReader::readNotes(const onnx::NodeProto& proto, Node* node) {
    Metadata metadata = readMetadata(proto);
    node->setForeignOpset(takeForeignOpset(metadata));
    node->setMetadata(std::move(metadata));
    if (foreignOpset_ == nullptr && node->foreignOpset() != nullptr)
        foreignOpset_ = std::make_shared<const ForeignOpset>(*node->foreignOpset());
}

bool GraphReader::liftConstant(onnx::NodeProto& proto, Graph& graph) {
    if (proto.op_type() != "Constant" || !normalizedDomain(proto.domain()).empty()) return false;
    if (proto.attribute_size() != 1 || proto.output_size() != 1 || proto.output(0).empty()) {
        throw Error(ErrorCode::InvalidInput, "It has " +
                                                 counted(proto.attribute_size(), "attribute") +
                                                 " and " + counted(proto.output_size(), "output") +
                                                 "; expected one value and one output.");
    }
    if (!options_.liftConstants) return false;
    graph.addLiteral(proto.output(0), constantTensor(*proto.mutable_attribute(0)));
    return true;
}

Tensor GraphReader::constantTensor(onnx::AttributeProto& proto) {
    using Type = onnx::AttributeProto;
    switch (typeOf(proto)) {
        case Type::TENSOR:
            return readTensor(*proto.mutable_t(), externalData_, "Its " + quoted(proto.name()));
        case Type::FLOAT: return Tensor::scalar<float>(proto.f());
        case Type::INT: return Tensor::scalar<int64_t>(proto.i());
        case Type::FLOATS: return vectorTensor<float>(proto.floats());
        case Type::INTS: return vectorTensor<int64_t>(proto.ints());
        case Type::STRING: return stringTensor({}, std::span<const std::string>(&proto.s(), 1));
        case Type::STRINGS: return textsTensor(proto.strings());
        default: break;
    }
    throw Error(ErrorCode::Unsupported,
                "Its " + quoted(proto.name()) + " is not a tensor, numbers or texts.",
                "Export the model with dense tensors as constants.");
}

void GraphReader::connect(const PendingNode& pending, const Scope& scope) {
    for (int i = 0; i < pending.proto->input_size(); ++i) {
        const std::string& name = pending.proto->input(i);
        if (name.empty()) continue;
        Value* value = scope.resolve(name);
        if (value == nullptr) {
            throw Error(ErrorCode::InvalidInput,
                        "Input " + quoted(name) +
                            " is not defined; expected a graph input, an initializer or the "
                            "output of a node.");
        }
        scope.graph.setInput(pending.node, static_cast<size_t>(i), value);
    }
    for (auto& attribute : *pending.proto->mutable_attribute()) {
        if (pending.node->hasAttribute(attribute.name())) {
            throw Error(ErrorCode::InvalidInput,
                        "Attribute " + quoted(attribute.name()) + " is given twice.");
        }
        pending.node->setAttribute(attribute.name(), readAttribute(attribute, scope));
    }
}

Attribute GraphReader::readAttribute(onnx::AttributeProto& proto, const Scope& scope) {
    using Type = onnx::AttributeProto;
    const std::string what = "Attribute " + quoted(proto.name());
    if (!proto.ref_attr_name().empty()) {
        throw Error(ErrorCode::InvalidInput, what + " refers to the attribute " +
                                                 quoted(proto.ref_attr_name()) +
                                                 " of a function, but is not in a function.");
    }
    switch (typeOf(proto)) {
        case Type::FLOAT: return proto.f();
        case Type::INT: return int64_t{proto.i()};
        case Type::STRING: return proto.s();
        case Type::TENSOR: return readTensor(*proto.mutable_t(), externalData_, what);
        case Type::GRAPH: return std::shared_ptr<const Graph>(read(*proto.mutable_g(), &scope));
        case Type::FLOATS: return std::vector<float>(proto.floats().begin(), proto.floats().end());
        case Type::INTS: return std::vector<int64_t>(proto.ints().begin(), proto.ints().end());
        case Type::STRINGS:
            return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
        case Type::TYPE_PROTO: return readKnownType(proto.tp(), what);
        case Type::UNDEFINED:
            throw Error(ErrorCode::InvalidInput, what + " has neither a type nor a value.");
        default: break;
    }
    throw Error(ErrorCode::Unsupported,
                what + " is a " + Type::AttributeType_Name(proto.type()) +
                    "; expected numbers, strings, a tensor, a graph or a type.");
}

}  // namespace temper
