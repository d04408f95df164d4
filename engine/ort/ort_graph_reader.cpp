// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/ort_graph_reader.h"

#include <map>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/backward_mark.h"

namespace temper {
namespace {

using Strings = FbsVector<flatbuffers::String>;

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::string textOf(const flatbuffers::String* text) {
    return text == nullptr ? std::string() : text->str();
}

std::vector<std::string> textsOf(const Strings* texts) {
    std::vector<std::string> result;
    if (texts == nullptr) return result;
    result.reserve(texts->size());
    for (const auto* text : *texts) result.push_back(textOf(text));
    return result;
}

std::string describe(const fbs::Node& node) {
    return "node " + quoted(textOf(node.name())) + " (" + textOf(node.op_type()) + ")";
}

/// The types that the format lists: elements of whole bytes.
bool isElementType(DType dtype) { return dtypeSize(dtype) > 0 && dtype <= DType::Float8E5M2FNUZ; }

constexpr FbsElementTypes kElementTypes = {isElementType, "numbers, booleans or strings",
                                           "Convert the model without this tensor."};

/// Unknown for element types that Temper does not have.
DType readDType(fbs::TensorDataType type) {
    const auto dtype = static_cast<DType>(type);
    return isElementType(dtype) ? dtype : DType::Undefined;
}

Dim readDim(const fbs::Dimension& dim) {
    const fbs::DimensionValue* value = dim.value();
    if (value == nullptr) return Dim::unknown();
    if (value->dim_type() == fbs::DimensionValueType::PARAM) {
        return Dim::named(textOf(value->dim_param()));
    }
    const bool isKnown =
        value->dim_type() == fbs::DimensionValueType::VALUE && value->dim_value() >= 0;
    return isKnown ? Dim::of(value->dim_value()) : Dim::unknown();
}

ValueType readTensorType(const fbs::TensorTypeAndShape& source) {
    ValueType type{readDType(source.elem_type()), std::nullopt, false};
    const fbs::Shape* shape = source.shape();
    if (shape == nullptr || !type.isKnown()) return type;
    type.shape.emplace();
    if (shape->dim() == nullptr) return type;
    for (const fbs::Dimension* dim : *shape->dim()) type.shape->push_back(readDim(*dim));
    return type;
}

/// Unknown if the type is neither a tensor nor a sequence of tensors.
ValueType readType(const fbs::TypeInfo* info) {
    if (info == nullptr) return {};
    if (const auto* tensor = info->value_as_tensor_type()) return readTensorType(*tensor);
    const auto* sequence = info->value_as_sequence_type();
    if (sequence == nullptr || sequence->elem_type() == nullptr) return {};
    const auto* element = sequence->elem_type()->value_as_tensor_type();
    if (element == nullptr) return {};
    ValueType type = readTensorType(*element);
    type.isSequence = type.isKnown();
    return type;
}

std::map<std::string, ValueType> readTypes(const fbs::Graph& source) {
    std::map<std::string, ValueType> types;
    if (source.node_args() == nullptr) return types;
    for (const fbs::ValueInfo* info : *source.node_args()) {
        types.emplace(textOf(info->name()), readType(info->type()));
    }
    return types;
}

}  // namespace

OrtGraphReader::OrtGraphReader(FbsBytes file) : tensors_(kElementTypes, file, std::nullopt) {}

Value* OrtGraphReader::Scope::resolve(const std::string& name) const {
    if (Value* value = graph.find(name)) return value;
    const Value* found = outer == nullptr ? nullptr : outer->resolve(name);
    return found == nullptr ? nullptr : graph.addCapture(name, found->type());
}

std::unique_ptr<Graph> OrtGraphReader::read(const fbs::Graph& source, const Scope* outer) {
    auto graph = std::make_unique<Graph>();
    const Types types = readTypes(source);
    readInitializers(source, *graph);
    readInputs(source, types, outer != nullptr, *graph);
    std::vector<std::pair<const fbs::Node*, Node*>> nodes;
    if (source.nodes() != nullptr) {
        for (const fbs::Node* node : *source.nodes()) {
            nodes.emplace_back(
                node, withContext(describe(*node), [&] { return defineNode(*node, *graph); }));
        }
    }
    for (const auto& [name, type] : types) {
        Value* value = graph->find(name);
        if (value != nullptr && !value->type().isKnown()) value->setType(type);
    }
    const Scope scope{*graph, outer};
    for (const auto& entry : nodes) {
        withContext(describe(*entry.first), [&] { connect(*entry.first, entry.second, scope); });
    }
    readOutputs(source, scope);
    graph->topologicalOrder();  // refuses cycles
    return graph;
}

void OrtGraphReader::readInitializers(const fbs::Graph& source, Graph& graph) {
    if (source.sparse_initializers() != nullptr && source.sparse_initializers()->size() > 0) {
        throw Error(ErrorCode::Unsupported, "The model has sparse initializers.",
                    "Convert the model with dense weights.");
    }
    if (source.initializers() == nullptr) return;
    for (const fbs::Tensor* initializer : *source.initializers()) {
        NamedTensor tensor = tensors_.read(*initializer);
        const bool isLiteral = textOf(initializer->doc_string()) == kOrtLiteral;
        if (isLiteral) {
            graph.addLiteral(tensor.name, std::move(tensor.data));
        } else {
            graph.addInitializer(tensor.name, std::move(tensor.data));
        }
    }
}

void OrtGraphReader::readInputs(const fbs::Graph& source, const Types& types, bool isBody,
                                Graph& graph) {
    for (const std::string& name : textsOf(source.inputs())) {
        const Value* known = graph.find(name);
        if (known != nullptr && known->isInitializer()) continue;
        const auto type = types.find(name);
        const bool hasType = type != types.end() && type->second.isKnown();
        if (!hasType && !isBody) {
            throwDamaged("Input " + quoted(name) +
                         " has no type; expected a tensor or a sequence of tensors.");
        }
        graph.addInput(name, hasType ? type->second : ValueType{});
    }
}

Node* OrtGraphReader::defineNode(const fbs::Node& source, Graph& graph) {
    NodeSpec spec;
    spec.opType = required(source.op_type(), "The node has no operator type.").str();
    spec.domain = textOf(source.domain());
    if (spec.domain == "ai.onnx") spec.domain.clear();
    spec.name = textOf(source.name());
    readFileDocString(spec, textOf(source.doc_string()));
    if (source.inputs() != nullptr) spec.inputs.resize(source.inputs()->size(), nullptr);
    spec.outputs = textsOf(source.outputs());
    return graph.addNode(std::move(spec));
}

void OrtGraphReader::connect(const fbs::Node& source, Node* node, const Scope& scope) {
    const std::vector<std::string> inputs = textsOf(source.inputs());
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].empty()) continue;
        Value* value = scope.resolve(inputs[i]);
        if (value == nullptr) {
            throwDamaged("Input " + quoted(inputs[i]) +
                         " is not defined; expected a graph input, an initializer or the output "
                         "of a node.");
        }
        scope.graph.setInput(node, i, value);
    }
    if (source.attributes() == nullptr) return;
    for (const fbs::Attribute* attribute : *source.attributes()) {
        const std::string name = required(attribute->name(), "An attribute has no name.").str();
        if (node->hasAttribute(name))
            throwDamaged("Attribute " + quoted(name) + " is given twice.");
        node->setAttribute(name, withContext("attribute " + quoted(name),
                                             [&] { return readAttribute(*attribute, scope); }));
    }
}

void OrtGraphReader::readOutputs(const fbs::Graph& source, const Scope& scope) {
    for (const std::string& name : textsOf(source.outputs())) {
        Value* value = scope.resolve(name);
        if (value == nullptr) {
            throwDamaged("Output " + quoted(name) +
                         " is not defined; expected the output of a node, an initializer or an "
                         "input.");
        }
        scope.graph.addOutput(value);
    }
}

Attribute OrtGraphReader::readAttribute(const fbs::Attribute& source, const Scope& scope) {
    switch (source.type()) {
        case fbs::AttributeType::FLOAT: return source.f();
        case fbs::AttributeType::INT: return int64_t{source.i()};
        case fbs::AttributeType::STRING: return textOf(source.s());
        case fbs::AttributeType::TENSOR:
            return tensors_.readData(required(source.t(), "It has no tensor."));
        case fbs::AttributeType::GRAPH:
            return std::shared_ptr<const Graph>(
                read(required(source.g(), "It has no graph."), &scope));
        case fbs::AttributeType::FLOATS: return numbersOf(source.floats());
        case fbs::AttributeType::INTS: return numbersOf(source.ints());
        case fbs::AttributeType::STRINGS: return textsOf(source.strings());
        default: break;
    }
    throw Error(ErrorCode::Unsupported, "It is of type " +
                                            std::to_string(static_cast<int>(source.type())) +
                                            "; expected numbers, texts, a tensor or a graph.");
}

}  // namespace temper
