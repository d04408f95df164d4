// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/ir/graph.h"
#include "engine/onnx/external_data.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/proto.h"

namespace temper {

/// Converts ONNX's graphs into Temper's; tensors move out of the messages.
class GraphReader {
public:
    GraphReader(ExternalData& externalData, const LoadOptions& options)
        : externalData_(externalData), options_(options) {}

    /// Throws: Error(InvalidInput) naming the node or value; Error(Unsupported).
    std::unique_ptr<Graph> read(onnx::GraphProto& proto) { return read(proto, nullptr); }

    /// That of the first node that was read with one; null if there is none.
    const ForeignOpset* foreignOpset() const { return foreignOpset_.get(); }

private:
    /// The graphs around a body, in which the names that it does not define are looked up.
    struct Scope {
        Graph& graph;
        const Scope* outer;

        /// Null if no scope has the name. A value from outside becomes a capture of each graph on
        /// the way in.
        Value* resolve(const std::string& name) const;
    };
    /// A node that has its outputs, but waits for inputs and attributes until all names are known.
    struct PendingNode {
        Node* node;
        onnx::NodeProto* proto;
    };

    std::unique_ptr<Graph> read(onnx::GraphProto& proto, const Scope* outer);
    void readInitializers(onnx::GraphProto& proto, Graph& graph);
    void readInputs(const onnx::GraphProto& proto, Graph& graph, bool isBody);
    std::vector<PendingNode> defineNodes(onnx::GraphProto& proto, Graph& graph);
    void readOutput(const std::string& name, const Scope& scope);
    bool liftConstant(onnx::NodeProto& proto, Graph& graph);
    void readNotes(const onnx::NodeProto& proto, Node* node);
    Tensor constantTensor(onnx::AttributeProto& proto);
    void connect(const PendingNode& pending, const Scope& scope);
    Attribute readAttribute(onnx::AttributeProto& proto, const Scope& scope);

    ExternalData& externalData_;
    const LoadOptions& options_;
    std::shared_ptr<const ForeignOpset> foreignOpset_;
};

}  // namespace temper
