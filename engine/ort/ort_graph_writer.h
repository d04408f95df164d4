// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <model_generated.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ort/kernel_types.h"

namespace temper {

/// Bytes of all tensors of a graph: initializers, attributes, bodies.
int64_t tensorBytesOf(const Graph& graph);

/// For the node's operator, at the opset that the model imports for its domain.
std::optional<KernelTypes> kernelTypesOf(const Node& node, const ModelInfo& info);

/// Writes graphs into a FlatBuffer. Literals become initializers: ONNX Runtime has no Constant
/// nodes in models of its own format.
class OrtGraphWriter {
public:
    OrtGraphWriter(flatbuffers::FlatBufferBuilder& builder, const ModelInfo& info)
        : builder_(builder), info_(info) {}

    /// Throws: Error(Unsupported) for a value without a type.
    flatbuffers::Offset<fbs::Graph> write(const Graph& graph) { return write(graph, nullptr); }

private:
    template <typename T>
    using Offset = flatbuffers::Offset<T>;
    template <typename T>
    using VectorOffset = Offset<flatbuffers::Vector<Offset<T>>>;

    /// `outer`: the graph around a body.
    Offset<fbs::Graph> write(const Graph& graph, const Graph* outer);
    Offset<fbs::Tensor> writeTensor(const std::string& name, const Tensor& tensor,
                                    const char* docString);
    VectorOffset<fbs::Tensor> writeInitializers(const Graph& graph);
    Offset<fbs::TypeInfo> writeTensorType(const ValueType& type);
    Offset<fbs::TypeInfo> writeType(const ValueType& type);
    VectorOffset<fbs::ValueInfo> writeValues(const Graph& graph, const Graph* outer);
    Offset<fbs::ValueInfo> writeValue(const std::string& name, const ValueType& type);
    Offset<fbs::Node> writeNode(const Graph& graph, const Node& node, uint32_t index);
    Offset<fbs::Attribute> writeAttribute(const std::string& name, const Attribute& attribute,
                                          const Graph& graph);
    VectorOffset<fbs::NodeEdge> writeEdges(const Graph& graph, const std::vector<Node*>& nodes);
    VectorOffset<flatbuffers::String> writeNames(const std::vector<Value*>& values);

    flatbuffers::FlatBufferBuilder& builder_;
    const ModelInfo& info_;
};

}  // namespace temper
