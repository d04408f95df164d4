// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <model_generated.h>

#include <memory>
#include <string>

#include "engine/ir/graph.h"
#include "engine/ort/fbs_tensor.h"

namespace temper {

/// Doc string of initializers that were literals of the exporter; see Value::isLiteral().
inline constexpr const char* kOrtLiteral = "literal";

/// Converts the graphs of a verified file in ORT format into Temper's.
class OrtGraphReader {
public:
    explicit OrtGraphReader(FbsBytes file);

    /// Throws: Error(InvalidInput) naming the node or value; Error(Unsupported).
    std::unique_ptr<Graph> read(const fbs::Graph& graph) { return read(graph, nullptr); }

private:
    /// The graphs around a body, in which the names that it does not define are looked up.
    struct Scope {
        Graph& graph;
        const Scope* outer;

        /// Null if no scope has the name; a value from outside becomes a capture on the way in.
        Value* resolve(const std::string& name) const;
    };
    using Types = std::map<std::string, ValueType>;

    std::unique_ptr<Graph> read(const fbs::Graph& source, const Scope* outer);
    void readInitializers(const fbs::Graph& source, Graph& graph);
    static void readInputs(const fbs::Graph& source, const Types& types, bool isBody, Graph& graph);
    static Node* defineNode(const fbs::Node& source, Graph& graph);
    void connect(const fbs::Node& source, Node* node, const Scope& scope);
    static void readOutputs(const fbs::Graph& source, const Scope& scope);
    Attribute readAttribute(const fbs::Attribute& source, const Scope& scope);

    FbsTensorReader tensors_;
};

}  // namespace temper
