// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ir/operator_facts.h"
#include "engine/ir/operator_table.h"

namespace temper {

/// An integer that may be a symbol: an element of a shape under construction.
struct SymbolicInt {
    std::optional<int64_t> value;
    std::string symbol;  ///< the dimension it stands for if value is absent

    static SymbolicInt of(int64_t value) { return {value, {}}; }
    static SymbolicInt unknown() { return {}; }
    static SymbolicInt fromDim(const Dim& dim) {
        return dim.isNumber() ? of(dim.value) : SymbolicInt{std::nullopt, dim.symbol};
    }
    /// The dimension of this size; unknown for negative numbers.
    Dim toDim() const {
        return value ? (*value >= 0 ? Dim::of(*value) : Dim::unknown()) : Dim::named(symbol);
    }
    bool operator==(const SymbolicInt&) const = default;
};

/// What an operator's type inference reads and writes. The same function serves a model with
/// symbolic shapes and an execution plan with concrete ones.
class InferenceContext {
public:
    /// The integers of a small tensor, some of them symbols: a shape under construction.
    using Content = std::vector<SymbolicInt>;

    InferenceContext(const Node& node, int64_t opset) : node_(node), opset_(opset) {}
    virtual ~InferenceContext() = default;

    const Node& node() const { return node_; }
    /// Version of the opset of the node's domain.
    int64_t opset() const { return opset_; }
    size_t inputCount() const { return node_.inputs().size(); }
    bool hasInput(size_t i) const { return node_.input(i) != nullptr; }

    /// Type of an input; unknown (dtype Undefined) if it is omitted or not inferred.
    virtual const ValueType& inputType(size_t i) const = 0;
    /// Data of an input if it is known before the run, else null.
    virtual const Tensor* constant(size_t i) const = 0;
    /// Integers of an input, as far as they are known: from its constant or from setContent().
    virtual std::optional<Content> content(size_t i) const = 0;

    /// The types of the tensors of a sequence input, if each is known, as in execution plans.
    virtual std::optional<std::vector<ValueType>> elements(size_t) const { return std::nullopt; }
    /// Whether an input is known to be an optional without content.
    virtual bool isAbsent(size_t) const { return false; }

    /// Types of the outputs of a body of this node (If, Loop, ...) for these types of its inputs.
    /// Its captures have the types of the graph around it.
    /// Throws: Error(InvalidInput) if the body contradicts itself.
    virtual std::vector<ValueType> inferBody(const Graph& body,
                                             const std::vector<ValueType>& inputs) const = 0;

    /// Ignored if the output is omitted.
    virtual void setOutput(size_t i, ValueType type) = 0;
    virtual void setContent(size_t i, Content content) = 0;

    // Conveniences.
    DType dtype(size_t i) const { return inputType(i).dtype; }
    const std::optional<SymbolicShape>& shape(size_t i) const { return inputType(i).shape; }
    void setOutput(size_t i, DType dtype, std::optional<SymbolicShape> shape) {
        setOutput(i, ValueType{dtype, std::move(shape), false});
    }
    /// All integers of an input, if every one is a known number.
    std::optional<std::vector<int64_t>> integers(size_t i) const;
    /// Axes from input `i` (newer opsets) or from the attribute `axes` (older); nullopt if the
    /// input is present but its content is unknown. An empty vector if neither is given.
    std::optional<std::vector<int64_t>> axes(size_t i) const;
    /// Throws: Error(InvalidInput) "<node>: <message>".
    [[noreturn]] void fail(const std::string& message, const std::string& hint = {}) const;
    /// The same for an input that isAbsent().
    [[noreturn]] void failAbsent(size_t i) const;

private:
    const Node& node_;
    int64_t opset_;
};

using TypeInference = std::function<void(InferenceContext&)>;

class OpCatalog;

/// Rewrites a node as other operators: adds nodes that make its outputs, under their names, and
/// removes it. Types are inferred before and after.
/// Throws: Error(Unsupported) naming the node for a form that other operators can't express.
using Lowering = std::function<void(Graph&, Node*, const OpCatalog&)>;

/// What is known of an operator besides its gradient and kernels.
struct OpInfo {
    std::string domain;
    std::string opType;
    TypeInference infer;
    size_t minInputs = 0;
    size_t maxInputs = 0;
    /// Inputs that no gradient flows into, whatever their type (axes, shapes, labels, ...).
    std::set<size_t> nonDifferentiableInputs = {};
    /// Replaces it for running and differentiation if it has no kernel or gradient rule.
    Lowering lower = {};
    OperatorFacts facts = {};
};

/// The operators that Temper knows. Thread: constant once filled.
class OpCatalog {
public:
    /// Throws: Error(Internal) if the operator is already in the catalog.
    void add(OpInfo info);
    /// The same with its facts, which `info` need not have yet.
    void add(OpInfo info, OperatorFacts facts);
    /// Null if it is unknown. The domain "ai.onnx" is "".
    const OpInfo* find(std::string_view domain, std::string_view opType) const;
    const OpInfo* find(const Node& node) const { return find(node.domain(), node.opType()); }
    /// The defaults for unknown operators.
    const OperatorFacts& facts(const Node& node) const;
    /// Ordered by domain and type.
    std::vector<const OpInfo*> all() const;

private:
    OperatorTable<OpInfo> ops_;
};

/// Broadcasting of symbolic shapes; a symbol against another symbol or a number > 1 takes the
/// number, equal symbols stay. nullopt if either rank is unknown.
/// Throws: Error(InvalidInput) if two numbers do not fit.
std::optional<SymbolicShape> broadcastShapes(const std::optional<SymbolicShape>& a,
                                             const std::optional<SymbolicShape>& b);

}  // namespace temper
