// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// The nodes that replace one node before differentiation. Their names begin with its name; its
/// outputs keep their names.
class Subgraph {
public:
    using Values = std::vector<Value*>;

    Subgraph(Graph& graph, Node* replaced);

    const Node& node() const { return *replaced_; }
    Value* input(size_t i) const { return replaced_->input(i); }
    /// Whether something reads the output, or it is an output of the graph.
    bool wants(size_t output) const;
    int64_t opset() const { return graph_.info().onnxOpset(); }
    /// Element type of input 0.
    DType dtype() const { return dtype_; }

    Value* op(std::string_view opType, const Values& inputs, Attributes attributes = {});
    /// `count` outputs.
    Values ops(std::string_view domain, std::string_view opType, const Values& inputs,
               Attributes attributes, size_t count);
    /// A scalar of dtype().
    Value* number(double value);
    Value* integers(const std::vector<int64_t>& values);
    Value* literal(Tensor data);

    Value* transpose(Value* x, const std::vector<int64_t>& permutation);
    Value* squeeze(Value* x, int64_t axis);
    Value* unsqueeze(Value* x, int64_t axis);
    /// A single value stays as it is, in both.
    Value* concat(const Values& parts, int64_t axis);
    Values split(Value* x, int64_t axis, const std::vector<int64_t>& lengths);
    /// Equal parts of this length; `count` nulls if x is null.
    Values splitEvenly(Value* x, int64_t axis, size_t count, int64_t length);

    /// Replaces the node's outputs by the values, in order, and removes the node. Null for outputs
    /// that are not wanted.
    void replaceBy(const Values& outputs);

private:
    std::string uniqueName(std::string_view opType);

    Graph& graph_;
    Node* replaced_;
    std::string prefix_;
    DType dtype_;
    int64_t counter_ = 0;
};

}  // namespace temper
