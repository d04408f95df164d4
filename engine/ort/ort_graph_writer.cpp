// SPDX-License-Identifier: Apache-2.0
#include "engine/ort/ort_graph_writer.h"

#include <algorithm>

#include "engine/core/error.h"
#include "engine/core/string_tensor.h"
#include "engine/ir/backward_mark.h"
#include "engine/ort/ort_graph_reader.h"

namespace temper {
namespace {

int64_t tensorBytesOf(const Attribute& attribute) {
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        return static_cast<int64_t>(tensor->byteSize());
    }
    const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
    return body == nullptr ? 0 : temper::tensorBytesOf(**body);
}

/// The values that the bodies of a node read from the graph, each once, in a fixed order.
std::vector<Value*> implicitInputs(const Graph& graph, const Node& node) {
    std::vector<Value*> values = graph.capturedBy(node);
    std::ranges::sort(values, {}, [](const Value* value) { return value->name(); });
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

void requireType(const std::string& name, const ValueType& type) {
    if (type.isOptional) {
        throw Error(ErrorCode::Unsupported,
                    "Value '" + name + "' is an optional, which ORT format does not support.",
                    "Save the model as an ONNX file.");
    }
    if (type.isKnown()) return;
    throw Error(ErrorCode::Unsupported,
                "The type of value '" + name + "' is unknown; ORT format needs all types.",
                "Save the model as an ONNX file.");
}

bool omits(const std::vector<Value*>& values) {
    return std::ranges::find(values, nullptr) != values.end();
}

}  // namespace

int64_t tensorBytesOf(const Graph& graph) {
    int64_t bytes = 0;
    for (const Value* value : graph.initializers()) {
        bytes += static_cast<int64_t>(value->constant().byteSize());
    }
    for (const Node* node : graph.nodes()) {
        for (const auto& [name, attribute] : node->attributes()) bytes += tensorBytesOf(attribute);
    }
    return bytes;
}

std::optional<KernelTypes> kernelTypesOf(const Node& node, const ModelInfo& info) {
    const int64_t opset = info.opsetOf(node.domain());
    return kernelTypesOf(node.domain(), node.opType(), opset);
}

flatbuffers::Offset<fbs::Graph> OrtGraphWriter::write(const Graph& graph, const Graph* outer) {
    const std::vector<Node*> nodes = graph.nodes();
    std::vector<Offset<fbs::Node>> written;
    for (size_t i = 0; i < nodes.size(); ++i) {
        written.push_back(writeNode(graph, *nodes[i], static_cast<uint32_t>(i)));
    }
    const auto initializers = writeInitializers(graph);
    const auto values = writeValues(graph, outer);
    const auto nodeVector = builder_.CreateVector(written);
    const auto edges = writeEdges(graph, nodes);
    const auto inputs = writeNames(graph.inputs());
    const auto outputs = writeNames(graph.outputs());
    return fbs::CreateGraph(builder_, initializers, values, nodeVector,
                            static_cast<uint32_t>(nodes.size()), edges, inputs, outputs);
}

flatbuffers::Offset<fbs::Tensor> OrtGraphWriter::writeTensor(const std::string& name,
                                                             const Tensor& tensor,
                                                             const char* docString) {
    const auto nameOffset = builder_.CreateSharedString(name);
    const auto doc = builder_.CreateSharedString(docString);
    const auto dims = builder_.CreateVector(tensor.shape());
    if (tensor.dtype() == DType::String) {
        const auto texts = tensor.values<std::string_view>();
        const auto strings =
            builder_.CreateVectorOfStrings(std::vector<std::string>(texts.begin(), texts.end()));
        return fbs::CreateTensor(builder_, nameOffset, doc, dims, fbs::TensorDataType::STRING, {},
                                 strings);
    }
    if (tensor.dtype() > DType::Float8E5M2FNUZ) {
        throw Error(ErrorCode::Unsupported,
                    "'" + name + "' has the element type " +
                        std::string(dtypeName(tensor.dtype())) +
                        ", which ORT format does not support.",
                    "Write an ONNX file.");
    }
    const auto* data = reinterpret_cast<const uint8_t*>(tensor.data());
    const auto raw = builder_.CreateVector(data, tensor.byteSize());
    return fbs::CreateTensor(builder_, nameOffset, doc, dims,
                             static_cast<fbs::TensorDataType>(tensor.dtype()), raw);
}

OrtGraphWriter::VectorOffset<fbs::Tensor> OrtGraphWriter::writeInitializers(const Graph& graph) {
    std::vector<Offset<fbs::Tensor>> tensors;
    for (const Value* value : graph.initializers()) {
        tensors.push_back(
            writeTensor(value->name(), value->constant(), value->isLiteral() ? kOrtLiteral : ""));
    }
    return builder_.CreateVector(tensors);
}

flatbuffers::Offset<fbs::TypeInfo> OrtGraphWriter::writeTensorType(const ValueType& type) {
    Offset<fbs::Shape> shape;
    if (type.shape) {
        std::vector<Offset<fbs::Dimension>> dims;
        for (const Dim& dim : *type.shape) {
            const auto kind = dim.isNumber()   ? fbs::DimensionValueType::VALUE
                              : dim.isSymbol() ? fbs::DimensionValueType::PARAM
                                               : fbs::DimensionValueType::UNKNOWN;
            const auto symbol = builder_.CreateSharedString(dim.symbol);
            const auto value =
                fbs::CreateDimensionValue(builder_, kind, std::max<int64_t>(dim.value, 0), symbol);
            dims.push_back(fbs::CreateDimension(builder_, value));
        }
        shape = fbs::CreateShape(builder_, builder_.CreateVector(dims));
    }
    const auto tensor = fbs::CreateTensorTypeAndShape(
        builder_, static_cast<fbs::TensorDataType>(type.dtype), shape);
    return fbs::CreateTypeInfo(builder_, {}, fbs::TypeInfoValue::tensor_type, tensor.Union());
}

flatbuffers::Offset<fbs::TypeInfo> OrtGraphWriter::writeType(const ValueType& type) {
    const auto tensor = writeTensorType(type);
    if (!type.isSequence) return tensor;
    const auto sequence = fbs::CreateSequenceType(builder_, tensor);
    return fbs::CreateTypeInfo(builder_, {}, fbs::TypeInfoValue::sequence_type, sequence.Union());
}

flatbuffers::Offset<fbs::ValueInfo> OrtGraphWriter::writeValue(const std::string& name,
                                                               const ValueType& type) {
    const auto text = builder_.CreateSharedString(name);
    const auto doc = builder_.CreateSharedString("");
    Offset<fbs::TypeInfo> info;
    if (!name.empty()) {
        requireType(name, type);
        info = writeType(type);
    }
    return fbs::CreateValueInfo(builder_, text, doc, info);
}

/// Every name that nodes use; "" stands for omitted ones.
OrtGraphWriter::VectorOffset<fbs::ValueInfo> OrtGraphWriter::writeValues(const Graph& graph,
                                                                         const Graph* outer) {
    std::vector<Offset<fbs::ValueInfo>> infos;
    const auto add = [&](const std::vector<Value*>& values) {
        for (const Value* value : values) {
            if (value != nullptr) infos.push_back(writeValue(value->name(), value->type()));
        }
    };
    add(graph.inputs());
    add(graph.initializers());
    for (const Value* capture : graph.captures()) {
        const Value* source = outer == nullptr ? nullptr : outer->find(capture->name());
        const bool isTyped = capture->type().isKnown() || source == nullptr;
        infos.push_back(writeValue(capture->name(), isTyped ? capture->type() : source->type()));
    }
    bool hasOmitted = false;
    for (const Node* node : graph.nodes()) {
        add(node->outputs());
        hasOmitted = hasOmitted || omits(node->inputs()) || omits(node->outputs());
    }
    if (hasOmitted) infos.push_back(writeValue("", {}));
    return builder_.CreateVector(infos);
}

OrtGraphWriter::VectorOffset<flatbuffers::String> OrtGraphWriter::writeNames(
    const std::vector<Value*>& values) {
    std::vector<Offset<flatbuffers::String>> names;
    for (const Value* value : values) {
        names.push_back(builder_.CreateSharedString(value == nullptr ? "" : value->name()));
    }
    return builder_.CreateVector(names);
}

flatbuffers::Offset<fbs::Node> OrtGraphWriter::writeNode(const Graph& graph, const Node& node,
                                                         uint32_t index) {
    std::vector<Offset<fbs::Attribute>> attributes;
    for (const auto& [name, attribute] : node.attributes()) {
        attributes.push_back(writeAttribute(name, attribute, graph));
    }
    const std::optional<KernelTypes> types = kernelTypesOf(node, info_);
    const auto name = builder_.CreateSharedString(node.name());
    const auto doc = builder_.CreateSharedString(fileDocString(node));
    const auto domain = builder_.CreateSharedString(node.domain());
    const auto opType = builder_.CreateSharedString(node.opType());
    const auto provider = builder_.CreateSharedString("");
    const auto inputs = writeNames(node.inputs());
    const auto outputs = writeNames(node.outputs());
    const auto attributeVector = builder_.CreateVector(attributes);
    // A variadic input is always the last one: a count of one for each input covers them all.
    const auto counts = builder_.CreateVector(std::vector<int32_t>(node.inputs().size(), 1));
    const auto implicit = writeNames(implicitInputs(graph, node));
    return fbs::CreateNode(builder_, name, doc, domain, types ? types->sinceVersion : 1, index,
                           opType, fbs::NodeType::PRIMITIVE, provider, inputs, outputs,
                           attributeVector, counts, implicit);
}

flatbuffers::Offset<fbs::Attribute> OrtGraphWriter::writeAttribute(const std::string& name,
                                                                   const Attribute& attribute,
                                                                   const Graph& graph) {
    using Type = fbs::AttributeType;
    const auto text = builder_.CreateSharedString(name);
    const auto doc = builder_.CreateSharedString("");
    if (const auto* value = std::get_if<int64_t>(&attribute)) {
        return fbs::CreateAttribute(builder_, text, doc, Type::INT, 0, *value);
    }
    if (const auto* value = std::get_if<float>(&attribute)) {
        return fbs::CreateAttribute(builder_, text, doc, Type::FLOAT, *value);
    }
    if (const auto* value = std::get_if<std::string>(&attribute)) {
        const auto s = builder_.CreateString(*value);
        return fbs::CreateAttribute(builder_, text, doc, Type::STRING, 0, 0, s);
    }
    if (const auto* value = std::get_if<Tensor>(&attribute)) {
        const auto t = writeTensor("", *value, "");
        return fbs::CreateAttribute(builder_, text, doc, Type::TENSOR, 0, 0, {}, t);
    }
    if (const auto* value = std::get_if<std::vector<float>>(&attribute)) {
        const auto floats = builder_.CreateVector(*value);
        return fbs::CreateAttribute(builder_, text, doc, Type::FLOATS, 0, 0, {}, {}, {}, floats);
    }
    if (const auto* value = std::get_if<std::vector<int64_t>>(&attribute)) {
        const auto ints = builder_.CreateVector(*value);
        return fbs::CreateAttribute(builder_, text, doc, Type::INTS, 0, 0, {}, {}, {}, {}, ints);
    }
    if (const auto* value = std::get_if<std::vector<std::string>>(&attribute)) {
        const auto texts = builder_.CreateVectorOfStrings(*value);
        return fbs::CreateAttribute(builder_, text, doc, Type::STRINGS, 0, 0, {}, {}, {}, {}, {},
                                    texts);
    }
    if (std::holds_alternative<ValueType>(attribute)) {
        throw Error(ErrorCode::Unsupported,
                    "Attribute '" + name + "' is a type, which ORT format does not support.",
                    "Save the model as an ONNX file.");
    }
    const auto g = write(*std::get<std::shared_ptr<const Graph>>(attribute), &graph);
    return fbs::CreateAttribute(builder_, text, doc, Type::GRAPH, 0, 0, {}, {}, g);
}

/// Builds without ONNX's operator declarations use these to sort the nodes.
OrtGraphWriter::VectorOffset<fbs::NodeEdge> OrtGraphWriter::writeEdges(
    const Graph& graph, const std::vector<Node*>& nodes) {
    std::unordered_map<const Node*, uint32_t> indexOf;
    for (const Node* node : nodes) indexOf.emplace(node, static_cast<uint32_t>(indexOf.size()));
    std::vector<std::vector<fbs::EdgeEnd>> ins(nodes.size());
    std::vector<std::vector<fbs::EdgeEnd>> outs(nodes.size());
    for (uint32_t reader = 0; reader < nodes.size(); ++reader) {
        std::vector<Value*> read = nodes[reader]->inputs();
        const std::vector<Value*> implicit = implicitInputs(graph, *nodes[reader]);
        read.insert(read.end(), implicit.begin(), implicit.end());
        for (size_t i = 0; i < read.size(); ++i) {
            if (read[i] == nullptr || read[i]->producer() == nullptr) continue;
            const uint32_t maker = indexOf.at(read[i]->producer());
            const auto from = static_cast<int32_t>(read[i]->producerOutput());
            const auto to = static_cast<int32_t>(i);
            ins[reader].emplace_back(maker, from, to);
            outs[maker].emplace_back(reader, from, to);
        }
    }
    std::vector<Offset<fbs::NodeEdge>> edges;
    for (uint32_t i = 0; i < nodes.size(); ++i) {
        const auto in = builder_.CreateVectorOfStructs(ins[i]);
        const auto out = builder_.CreateVectorOfStructs(outs[i]);
        edges.push_back(fbs::CreateNodeEdge(builder_, i, in, out));
    }
    return builder_.CreateVector(edges);
}

}  // namespace temper
