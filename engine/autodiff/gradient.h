// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/autodiff/var.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/ir/operator_table.h"

namespace temper {

class GradientRules;

/// One per input of the forward node, in order, then one per value that its bodies capture; empty
/// if no gradient flows. May be shorter.
using Gradients = std::vector<Var>;

/// Adds nodes to the graph on behalf of one forward node, with their names, types and pass.
///
/// Names follow ORT: node `<forward>_Grad/<Op>_<i>`, values `<forward>_Grad/<op>_<i>`.
class GradientEmitter {
public:
    GradientEmitter(Graph& graph, const OpCatalog& catalog, std::string prefix,
                    bool isBackward = true, std::string docString = {});

    Graph& graph() { return graph_; }
    /// Version of ONNX's opset in this graph.
    int64_t opset() const { return graph_.info().onnxOpset(); }
    const OpCatalog& catalog() const { return catalog_; }

    /// Emits a node and infers its types. `inputs` may hold empty Vars (omitted inputs).
    /// Returns the outputs; if `wanted` is given, unwanted outputs are omitted (empty Vars).
    std::vector<Var> add(std::string_view domain, std::string_view opType,
                         const std::vector<Var>& inputs, Attributes attributes = {},
                         const std::vector<bool>& wanted = {true});
    /// One output.
    Var op(std::string_view opType, const std::vector<Var>& inputs, Attributes attributes = {});
    /// One output, domain com.microsoft.
    Var msOp(std::string_view opType, const std::vector<Var>& inputs, Attributes attributes = {});

    Var constant(Tensor data, const std::string& name = "constant");
    /// A one-element [1] constant of the dtype, shared within the graph.
    Var number(double value, DType dtype);
    /// An int64 vector constant.
    Var integers(const std::vector<int64_t>& values);

private:
    Graph& graph_;
    const OpCatalog& catalog_;
    std::string prefix_;
    bool isBackward_;
    std::string docString_;
    int64_t counter_ = 0;
};

/// A gradient rule's view of its forward node.
class GradientContext {
public:
    GradientContext(const Node& node, GradientEmitter& emitter, std::vector<Var> outputGradients,
                    std::vector<bool> needed, std::vector<Value*> captures,
                    const GradientRules& rules)
        : node_(node),
          emitter_(emitter),
          outputGradients_(std::move(outputGradients)),
          needed_(std::move(needed)),
          captures_(std::move(captures)),
          rules_(rules) {}

    const Node& node() const { return node_; }
    GradientEmitter& emitter() const { return emitter_; }
    int64_t opset() const { return emitter_.opset(); }

    size_t inputCount() const { return node_.inputs().size(); }
    size_t outputCount() const { return node_.outputs().size(); }
    bool hasInput(size_t i) const { return node_.input(i) != nullptr; }
    Var input(size_t i) const { return {&emitter_, node_.input(i)}; }
    Var output(size_t i) const { return {&emitter_, node_.output(i)}; }
    /// Gradient of an output; empty if the loss does not depend on it through this output.
    Var outputGradient(size_t i) const {
        return i < outputGradients_.size() ? outputGradients_[i] : Var();
    }
    /// Values of the graph that the node's bodies read; they follow the inputs in needs() and in
    /// the gradients.
    const std::vector<Value*>& captures() const { return captures_; }
    /// An input or, after the inputs, a captured value.
    Value* source(size_t i) const {
        return i < inputCount() ? node_.input(i) : captures_.at(i - inputCount());
    }
    /// The rules, for gradients of bodies.
    const GradientRules& rules() const { return rules_; }
    /// Whether the gradient of this input is wanted: others need not be emitted.
    bool needs(size_t i) const { return i < needed_.size() && needed_[i]; }

    template <typename T>
    T attribute(std::string_view name, T fallback) const {
        return node_.attribute<T>(name, fallback);
    }

private:
    const Node& node_;
    GradientEmitter& emitter_;
    std::vector<Var> outputGradients_;
    std::vector<bool> needed_;
    std::vector<Value*> captures_;
    const GradientRules& rules_;
};

/// The mathematics of one operator's backward pass. Un-broadcasting (a gradient of the output's
/// shape for an input that was broadcast), summing over several readers, naming and typing are left
/// to the walk.
/// Throws: Error(Unsupported) for a form that has no gradient here (becomes a finding).
using GradientRule = std::function<Gradients(const GradientContext&)>;

/// Makes an operator ready for differentiation in place before the walk: adds the outputs that
/// its gradient reads (MaxPool's mask), or turns it into its training form (BatchNormInternal).
using TrainingForm = std::function<void(Graph&, Node*)>;

/// Why an operator passes no gradient although its output is a floating-point number.
struct NonDifferentiable {
    std::string reason;  ///< e.g. "its derivative is zero everywhere"
    std::string remedy;  ///< e.g. "freeze the parameters before it"
    /// The derivative exists and is zero: gradients end here, which is correct but rarely wanted.
    bool derivativeIsZero = false;
};

/// The gradient rules, by operator. Thread: constant once filled.
class GradientRules {
public:
    void add(std::string_view domain, std::string_view opType, GradientRule rule);
    /// Applied to the nodes that gradients pass through; with `always`, to every node of the graph.
    void addTrainingForm(std::string_view domain, std::string_view opType, TrainingForm form,
                         bool always = false);
    /// Before the walk, `lowering`, or without one OpInfo::lower, replaces the nodes of this
    /// operator that gradients pass through and for which `applies` is true or not given.
    void addLowered(std::string_view domain, std::string_view opType, Lowering lowering = {},
                    std::function<bool(const Node&)> applies = {});
    /// Operators of ONNX's domain whose derivative is zero wherever it exists (Sign, Round, ...).
    void addNonDifferentiable(std::string_view opType, NonDifferentiable why);
    /// Operators of ONNX's domain with a derivative of zero whose gradient may be passed to their
    /// first input unchanged, if the user chooses so (straight-through estimator).
    /// Source: Bengio, Leonard, Courville, Estimating or Propagating Gradients Through Stochastic
    /// Neurons for Conditional Computation (2013), section 3.4.
    void addStraightThrough(std::string_view opType);
    /// An optional check before any graph is built: why this node's form has no gradient.
    using Check = std::function<std::optional<NonDifferentiable>(const Node&)>;
    void addCheck(std::string_view domain, std::string_view opType, Check check);

    const GradientRule* find(const Node& node) const;
    struct FormEntry {
        TrainingForm apply;
        bool always = false;
    };
    const FormEntry* trainingForm(const Node& node) const;
    bool isLowered(const Node& node) const;
    /// Null if nothing replaces the node.
    const Lowering* loweringOf(const Node& node, const OpCatalog& catalog) const;
    /// Absent if the node is differentiable as it is.
    std::optional<NonDifferentiable> whyNot(const Node& node) const;

    /// Whether the gradient may pass through this node unchanged: it is a straight-through operator
    /// whose input and output have the same type.
    bool maySendStraightThrough(const Node& node) const;
    /// These rules, with gradients passing through the chosen nodes unchanged. `chosen` holds
    /// operators ("Round"), node names and names of node outputs; nodes that don't allow it are
    /// left as they are.
    GradientRules withStraightThrough(const std::vector<std::string>& chosen) const;
    std::vector<std::string> straightThroughOperators() const;
    /// These rules, with the nodes that make these values differentiated as they are, without their
    /// training form: batch normalization by running statistics.
    GradientRules withoutTrainingForm(const std::vector<std::string>& values) const;

    /// What is known about an operator regardless of its node's form.
    struct Summary {
        bool hasRule = false;
        bool hasTrainingForm = false;
        bool maySendStraightThrough = false;
        std::optional<NonDifferentiable> never;  ///< why no form of it has a gradient
    };
    Summary summaryOf(const std::string& domain, const std::string& opType) const;

private:
    struct LoweredEntry {
        Lowering lowering;
        std::function<bool(const Node&)> applies;
    };

    bool passesStraightThrough(const Node& node) const;

    OperatorTable<GradientRule> rules_;
    OperatorTable<FormEntry> forms_;
    OperatorTable<Check> checks_;
    OperatorTable<LoweredEntry> lowered_;
    OperatorTable<NonDifferentiable> nonDifferentiable_;
    std::set<std::string, std::less<>> straightThrough_;
    std::set<std::string, std::less<>> chosen_;    ///< for straight-through
    std::set<std::string, std::less<>> formless_;  ///< first outputs of nodes without their form
    GradientRule identity_;
};

}  // namespace temper
