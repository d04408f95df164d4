// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/ops/lowered_op.h"

namespace temper {

/// One step of a model from an opset version to the next or the previous one.
struct OpsetStep {
    int64_t version = 0;  ///< the newer of the two
    bool isUp = true;
    int64_t wanted = 0;  ///< the final version of the conversion, for messages
};

/// A node that is converted to another version of the opset. The graph's opset is the target
/// version; added nodes have its form.
class OpsetEdit {
public:
    /// Data of a value that is known before the run; null otherwise.
    using FindConstant = std::function<const Tensor*(const Value&)>;

    OpsetEdit(Graph& graph, Node* node, const OpCatalog& catalog, const FindConstant& findConstant,
              const OpsetStep& step)
        : graph_(graph), node_(node), catalog_(catalog), findConstant_(findConstant), step_(step) {}

    Graph& graph() const { return graph_; }
    Node* node() const { return node_; }

    bool has(size_t input) const { return node_->input(input) != nullptr; }
    bool isRead(size_t output) const;
    template <typename T>
    T attribute(std::string_view name, T fallback) const {
        return node_->attribute<T>(name, fallback);
    }
    /// Removes an attribute of the newer form if it has the value that the older form implies.
    /// Throws: Error(Unsupported) if it has another.
    template <typename T>
    void dropAttribute(std::string_view name, const T& meant) const {
        if (!(node_->attribute<T>(name, meant) == meant)) refuse(withoutAttribute(name));
        node_->removeAttribute(name);
    }

    DType dtype(size_t input) const;
    /// Throws: Error(Unsupported) if it is unknown.
    int64_t rank(size_t input) const;
    /// Absent if the dimension is not a known number. `axis` may be negative.
    std::optional<int64_t> size(size_t input, int64_t axis) const;
    /// `axis` counted from the front, for the rank of an input.
    int64_t fromFront(int64_t axis, size_t input = 0) const;

    /// Known data of an input; null if it is computed or missing.
    const Tensor* constant(size_t input) const;
    /// Throws: Error(Unsupported) if they are computed; `what` names the input.
    std::vector<int64_t> integers(size_t input, const char* what) const;
    std::vector<float> floats(size_t input, const char* what) const;
    /// Throws: Error(Unsupported) also if there is not exactly one.
    int64_t integer(size_t input, const char* what) const;

    void setConstant(size_t input, const char* stem, Tensor data) const;
    void setIntegers(size_t input, const char* stem, const std::vector<int64_t>& values) const;
    /// A scalar of the type of input 0.
    void setNumber(size_t input, const char* stem, double value) const;
    /// Drops the inputs from `count` on.
    void keepInputs(size_t count) const { graph_.truncateInputs(node_, count); }
    void moveInput(size_t from, size_t to) const;

    /// Replaces this node by others and removes it.
    void replaceBy(const LoweringRule& rule) const;
    void replaceByInput() const;
    /// Replaces the node by those that run for it (OpInfo::lower), and returns them.
    std::vector<Node*> replaceByLowering() const;
    /// The same step for another node.
    OpsetEdit of(Node* node) const { return {graph_, node, catalog_, findConstant_, step_}; }

    /// Throws: Error(Unsupported) "node 'x' (Op) can't be written in opset 12: <why>." with the
    /// first opset that can.
    [[noreturn]] void refuse(const std::string& why) const;

private:
    static std::string withoutAttribute(std::string_view name);

    Graph& graph_;
    Node* node_;
    const OpCatalog& catalog_;
    const FindConstant& findConstant_;
    const OpsetStep& step_;
};

/// A scalar of a dtype, for decompositions that have to keep scalars as scalars.
Var scalarOf(const LoweringContext& context, double value, DType dtype);

}  // namespace temper
