// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/ops/op_set.h"

namespace temper {

/// A lowering's view of its node: its inputs as Vars, on which operators add nodes.
class LoweringContext {
public:
    LoweringContext(GradientEmitter& emitter, const Node& node) : emitter_(emitter), node_(node) {}

    const Node& node() const { return node_; }
    GradientEmitter& emitter() const { return emitter_; }
    int64_t opset() const { return emitter_.opset(); }

    bool hasInput(size_t i) const { return node_.input(i) != nullptr; }
    /// Empty if the input is omitted.
    Var input(size_t i) const { return {&emitter_, node_.input(i)}; }
    /// Whether the node has this output.
    bool wants(size_t output) const { return node_.output(output) != nullptr; }

    template <typename T>
    T attribute(std::string_view name, T fallback) const {
        return node_.attribute<T>(name, fallback);
    }

    /// The shape of an input. Throws: Error(Unsupported) if its rank is unknown.
    const SymbolicShape& shape(size_t i) const;
    int64_t rank(size_t i) const { return static_cast<int64_t>(shape(i).size()); }
    /// One dimension of an input, counted from the end if it is negative.
    const Dim& dim(size_t i, int64_t axis) const;
    /// The same as a number. Throws: Error(Unsupported) if it is unknown.
    int64_t size(size_t i, int64_t axis) const;

    [[noreturn]] void refuse(const std::string& message, const std::string& hint) const;

private:
    GradientEmitter& emitter_;
    const Node& node_;
};

/// One Var per output of the node, in order; those that the node omits may be empty or missing.
using LoweringRule = std::function<std::vector<Var>(const LoweringContext&)>;

/// Replaces a node by the nodes that the rule adds, under the names of its outputs.
/// Throws: what the rule throws, naming the node.
void replaceByNodes(Graph& graph, Node* node, const OpCatalog& catalog, const LoweringRule& rule);

/// A lowering that replaces a node by the nodes that the rule adds.
Lowering loweringBy(LoweringRule rule);

/// Adds an operator that is defined by others: they run instead of it, and gradients pass through
/// them.
void addLowered(OpSet& ops, OpInfo info, LoweringRule rule, OperatorFacts facts = {});

// Pieces that lowerings share, valid for every opset.

/// Parts of these sizes along an axis.
std::vector<Var> split(Var x, int64_t axis, const std::vector<int64_t>& sizes);
/// Elements [begin, end) along an axis.
Var slice(Var x, int64_t axis, int64_t begin, int64_t end);
/// The size of a dimension as int64 [1]: a constant if it is known.
Var sizeAlong(Var x, int64_t axis);
/// Reshaped; 0 keeps a dimension, -1 takes the rest.
Var reshapeTo(Var x, const std::vector<int64_t>& shape);
/// [batch, spatial..., channels] to [batch, channels, spatial...].
Var channelsFirst(Var x);
/// The inverse.
Var channelsLast(Var x);
/// Softmax along the last dimension.
Var softmaxOfRows(Var x);
/// The lowest finite number of the type, [1]: what the exponential makes 0.
Var lowestOf(Var like);
/// 0, 1, ... count - 1 as int64 [count]; `count` is int64 [1].
Var countingTo(Var count);

}  // namespace temper
