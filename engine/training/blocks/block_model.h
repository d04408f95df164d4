// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/training/blocks/name_counter.h"

namespace temper {

/// The model that blocks build on, like `onnxblock.base(model)` in ORT: a graph with inferred
/// types, the operators, and the counters of the names. All three have to outlive it.
class BlockModel {
public:
    BlockModel(Graph& graph, const OpCatalog& catalog, NameCounter& names)
        : graph_(graph), catalog_(catalog), names_(names) {}

    Graph& graph() { return graph_; }
    const OpCatalog& catalog() const { return catalog_; }
    NameCounter& names() { return names_; }
    int64_t opset() const { return graph_.info().onnxOpset(); }

    /// The value of the model with this name. Throws: Error(NotFound) listing the model's outputs.
    Value* value(std::string_view name) const;
    std::vector<Value*> values(const std::vector<std::string>& names) const;

    /// Adds a node of one output, both named as ORT's blocks do: `onnx::<op>_output::k` and then
    /// `onnx::<Op>::k+1`.
    Value* op(const std::string& opType, std::vector<Value*> inputs, Attributes attributes = {},
              const std::string& domain = {});
    /// Adds any node: types are inferred, and its domain is imported if necessary.
    /// Throws: Error(InvalidInput) if the inputs contradict the operator.
    Node* add(NodeSpec spec);
    /// An initializer `onnx::<token>::k`.
    Value* initializer(const std::string& token, Tensor data);
    /// The value of this name, or a new graph input of this type.
    Value* target(const std::string& name, const ValueType& type);

private:
    Graph& graph_;
    const OpCatalog& catalog_;
    NameCounter& names_;
};

/// Whether a value can be a loss: float32 and known to have one element.
bool isSingleNumber(const ValueType& type);

/// A graph without nodes that imports com.microsoft and this opset of ONNX, like `empty_base`.
std::unique_ptr<Graph> emptyModel(int64_t opset = 21);

}  // namespace temper
