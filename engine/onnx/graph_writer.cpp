// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_writer.h"

#include "engine/core/error.h"
#include "engine/core/small_types.h"
#include "engine/core/string_tensor.h"
#include "engine/ir/backward_mark.h"
#include "engine/onnx/metadata_fields.h"
#include "engine/onnx/required_outputs.h"

namespace temper {
namespace {

/// Before this IR version, each initializer had to be an input, too.
constexpr int64_t kFirstIrWithHiddenInitializers = 4;

void writeTensor(const Tensor& tensor, const TensorStore& store, onnx::TensorProto& proto) {
    for (const int64_t dim : tensor.shape()) proto.add_dims(dim);
    proto.set_data_type(static_cast<int32_t>(tensor.dtype()));
    store(tensor, proto);
}

void writeValue(const Value& value, onnx::ValueInfoProto& proto) {
    proto.set_name(value.name());
    if (value.type().isKnown()) writeType(value.type(), *proto.mutable_type());
    writeMetadata(value.metadata(), proto);
}

/// Fills the field of an AttributeProto that belongs to the kind of attribute.
class AttributeWriter {
public:
    explicit AttributeWriter(onnx::AttributeProto& proto) : proto_(proto) {}

    void operator()(int64_t value) const {
        proto_.set_type(onnx::AttributeProto::INT);
        proto_.set_i(value);
    }
    void operator()(float value) const {
        proto_.set_type(onnx::AttributeProto::FLOAT);
        proto_.set_f(value);
    }
    void operator()(const std::string& value) const {
        proto_.set_type(onnx::AttributeProto::STRING);
        proto_.set_s(value);
    }
    void operator()(const Tensor& value) const {
        proto_.set_type(onnx::AttributeProto::TENSOR);
        writeTensor(value, storeInline, *proto_.mutable_t());
    }
    void operator()(const std::vector<int64_t>& values) const {
        proto_.set_type(onnx::AttributeProto::INTS);
        proto_.mutable_ints()->Add(values.begin(), values.end());
    }
    void operator()(const std::vector<float>& values) const {
        proto_.set_type(onnx::AttributeProto::FLOATS);
        proto_.mutable_floats()->Add(values.begin(), values.end());
    }
    void operator()(const std::vector<std::string>& values) const {
        proto_.set_type(onnx::AttributeProto::STRINGS);
        proto_.mutable_strings()->Add(values.begin(), values.end());
    }
    void operator()(const ValueType& value) const {
        proto_.set_type(onnx::AttributeProto::TYPE_PROTO);
        writeType(value, *proto_.mutable_tp());
    }
    void operator()(const std::shared_ptr<const Graph>& value) const;

private:
    onnx::AttributeProto& proto_;
};

void writeNode(const Node& node, const Graph& graph, onnx::NodeProto& proto) {
    for (const Value* value : node.inputs()) proto.add_input(value == nullptr ? "" : value->name());
    for (size_t i = 0; i < node.outputs().size(); ++i) {
        const Value* value = node.output(i);
        proto.add_output(value == nullptr ? nameOfOmitted(node, i, graph) : value->name());
    }
    if (!node.name().empty()) proto.set_name(node.name());
    proto.set_op_type(node.opType());
    if (!node.domain().empty()) proto.set_domain(node.domain());
    if (const std::string doc = fileDocString(node); !doc.empty()) proto.set_doc_string(doc);
    for (const auto& [name, value] : node.attributes()) {
        onnx::AttributeProto& attribute = *proto.add_attribute();
        attribute.set_name(name);
        std::visit(AttributeWriter(attribute), value);
    }
    writeMetadata(node.metadata(), proto);
}

/// A literal was a Constant node in its file.
void writeLiteral(const Value& value, const TensorStore& store, onnx::NodeProto& proto) {
    proto.add_output(value.name());
    proto.set_op_type("Constant");
    onnx::AttributeProto& attribute = *proto.add_attribute();
    attribute.set_name("value");
    attribute.set_type(onnx::AttributeProto::TENSOR);
    writeTensor(value.constant(), store, *attribute.mutable_t());
}

void writeInitializer(const Value& value, const TensorStore& store, bool listAsInput,
                      onnx::GraphProto& proto) {
    if (value.isLiteral()) return writeLiteral(value, store, *proto.add_node());
    if (listAsInput) writeValue(value, *proto.add_input());
    onnx::TensorProto& tensor = *proto.add_initializer();
    tensor.set_name(value.name());
    writeTensor(value.constant(), store, tensor);
    // Metadata of initializers is stored beside their types, as PyTorch's exporter writes it.
    if (!value.metadata().empty() && !listAsInput) writeValue(value, *proto.add_value_info());
}

void writeValueInfo(const Node& node, onnx::GraphProto& proto) {
    for (const Value* value : node.outputs()) {
        if (value == nullptr || !value->type().isKnown() || value->isGraphOutput()) continue;
        writeValue(*value, *proto.add_value_info());
    }
}

void writeGraph(const Graph& graph, const TensorStore& store, bool listInitializers,
                onnx::GraphProto& proto) {
    proto.set_name(graph.name().empty() ? "graph" : graph.name());
    if (!graph.docString().empty()) proto.set_doc_string(graph.docString());
    for (const Value* value : graph.inputs()) writeValue(*value, *proto.add_input());
    for (const Value* value : graph.outputs()) writeValue(*value, *proto.add_output());
    for (const Value* value : graph.initializers()) {
        writeInitializer(*value, store, listInitializers, proto);
    }
    for (const Node* node : graph.topologicalOrder()) {
        writeNode(*node, graph, *proto.add_node());
        writeValueInfo(*node, proto);
    }
    writeMetadata(graph.metadata(), proto);
}

void AttributeWriter::operator()(const std::shared_ptr<const Graph>& value) const {
    TEMPER_ASSERT(value != nullptr, "a graph attribute holds a graph");
    proto_.set_type(onnx::AttributeProto::GRAPH);
    writeGraph(*value, storeInline, false, *proto_.mutable_g());
}

void writeInfo(const ModelInfo& info, onnx::ModelProto& proto) {
    proto.set_ir_version(info.irVersion);
    for (const auto& [domain, version] : info.opsetImports) {
        onnx::OperatorSetIdProto& import = *proto.add_opset_import();
        import.set_domain(domain);
        import.set_version(version);
    }
    if (!info.producerName.empty()) proto.set_producer_name(info.producerName);
    if (!info.producerVersion.empty()) proto.set_producer_version(info.producerVersion);
    if (!info.domain.empty()) proto.set_domain(info.domain);
    if (info.modelVersion != 0) proto.set_model_version(info.modelVersion);
    if (!info.docString.empty()) proto.set_doc_string(info.docString);
    for (const auto& [key, value] : info.metadata) {
        onnx::StringStringEntryProto& entry = *proto.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    }
}

int64_t tensorBytes(const Attribute& attribute) {
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        return static_cast<int64_t>(tensor->byteSize());
    }
    const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
    return body == nullptr ? 0 : temper::tensorBytes(**body);
}

}  // namespace

void storeInline(const Tensor& tensor, onnx::TensorProto& proto) {
    if (isSmall(tensor.dtype())) {
        const std::vector<std::byte> bytes = packed(tensor);
        proto.set_raw_data(bytes.data(), bytes.size());
        return;
    }
    if (tensor.dtype() != DType::String) {
        proto.set_raw_data(tensor.data(), tensor.byteSize());
        return;
    }
    for (const std::string_view text : tensor.values<std::string_view>()) {
        proto.add_string_data(text.data(), text.size());
    }
}

void writeModel(const Graph& graph, const TensorStore& store, onnx::ModelProto& proto) {
    writeInfo(graph.info(), proto);
    const bool listInitializers = graph.info().irVersion < kFirstIrWithHiddenInitializers;
    writeGraph(graph, store, listInitializers, *proto.mutable_graph());
}

int64_t tensorBytes(const Graph& graph) {
    int64_t bytes = 0;
    for (const Value* value : graph.initializers()) {
        bytes += static_cast<int64_t>(value->constant().byteSize());
    }
    for (const Node* node : graph.nodes()) {
        for (const auto& [name, attribute] : node->attributes()) bytes += tensorBytes(attribute);
    }
    return bytes;
}

}  // namespace temper
