// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/lowered_op.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/core/process_memory.h"

namespace temper {
namespace {

using Values = std::vector<Value*>;

/// Each output needs its own value: an input that is passed through is copied, and so is a repeated
/// result.
Values ownValues(const Node& node, const std::vector<Var>& results, GradientEmitter& emitter) {
    Values values;
    for (size_t i = 0; i < node.outputs().size(); ++i) {
        if (node.output(i) == nullptr) {
            values.push_back(nullptr);
            continue;
        }
        if (i >= results.size() || !results[i]) {
            LoweringContext(emitter, node)
                .refuse("Output " + std::to_string(i) + " is not supported.",
                        "Remove the nodes that read it.");
        }
        Value* value = results[i].value();
        const auto taken = [&](const Values& list) {
            return std::find(list.begin(), list.end(), value) != list.end();
        };
        const bool isOwn = value->producer() != nullptr && !taken(node.inputs()) && !taken(values);
        values.push_back(isOwn ? value : identity({&emitter, value}).value());
    }
    return values;
}

std::string prefixOf(const Node& node) {
    if (!node.name().empty()) return node.name();
    for (const Value* output : node.outputs()) {
        if (output != nullptr) return output->name();
    }
    return node.opType();
}

}  // namespace

const SymbolicShape& LoweringContext::shape(size_t i) const {
    const auto& found = node_.input(i)->type().shape;
    if (found) return *found;
    refuse("The rank of input " + std::to_string(i) + " ('" + node_.input(i)->name() +
               "') is unknown.",
           "Export the model with shapes.");
}

const Dim& LoweringContext::dim(size_t i, int64_t axis) const {
    const SymbolicShape& dims = shape(i);
    const auto rank = static_cast<int64_t>(dims.size());
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at >= 0 && at < rank) return dims[static_cast<size_t>(at)];
    refuse("Input " + std::to_string(i) + " has the shape " + formatShape(dims) +
               "; it has no dimension " + std::to_string(axis) + ".",
           "Check the shapes of the model.");
}

int64_t LoweringContext::size(size_t i, int64_t axis) const {
    const Dim& found = dim(i, axis);
    if (found.isNumber()) return found.value;
    refuse("Dimension " + std::to_string(axis) + " of input " + std::to_string(i) + " ('" +
               node_.input(i)->name() + "') is unknown.",
           "Export the model with this size as a number.");
}

void LoweringContext::refuse(const std::string& message, const std::string& hint) const {
    Error error(ErrorCode::Unsupported, message, hint);
    error.addContext(node_.describe());
    throw error;
}

void replaceByNodes(Graph& graph, Node* node, const OpCatalog& catalog, const LoweringRule& rule) {
    GradientEmitter emitter(graph, catalog, prefixOf(*node), node->isBackward(), node->docString());
    try {
        const std::vector<Var> results = rule(LoweringContext(emitter, *node));
        graph.replaceNode(node, ownValues(*node, results, emitter));
    } catch (Error& error) {
        if (error.context().empty()) error.addContext(node->describe());
        throw;
    }
}

Lowering loweringBy(LoweringRule rule) {
    return [rule = std::move(rule)](Graph& graph, Node* node, const OpCatalog& catalog) {
        replaceByNodes(graph, node, catalog, rule);
    };
}

void addLowered(OpSet& ops, OpInfo info, LoweringRule rule, OperatorFacts facts) {
    info.lower = loweringBy(std::move(rule));
    ops.gradients.addLowered(info.domain, info.opType);
    ops.catalog.add(std::move(info), std::move(facts));
}

std::vector<Var> split(Var x, int64_t axis, const std::vector<int64_t>& sizes) {
    GradientEmitter& emitter = x.emitter();
    const std::vector<bool> wanted(sizes.size(), true);
    if (emitter.opset() >= 13) {
        return emitter.add(kOnnxDomain, "Split", {x, emitter.integers(sizes)}, {{"axis", axis}},
                           wanted);
    }
    return emitter.add(kOnnxDomain, "Split", {x}, {{"axis", axis}, {"split", sizes}}, wanted);
}

Var slice(Var x, int64_t axis, int64_t begin, int64_t end) {
    GradientEmitter& emitter = x.emitter();
    if (emitter.opset() >= 10) {
        return emitter.op("Slice", {x, emitter.integers({begin}), emitter.integers({end}),
                                    emitter.integers({axis})});
    }
    const auto one = [](int64_t number) { return std::vector<int64_t>{number}; };
    return emitter.op("Slice", {x},
                      {{"starts", one(begin)}, {"ends", one(end)}, {"axes", one(axis)}});
}

Var sizeAlong(Var x, int64_t axis) {
    GradientEmitter& emitter = x.emitter();
    const auto& shape = x.type().shape;
    if (shape && (*shape)[static_cast<size_t>(axis)].isNumber()) {
        return emitter.integers({(*shape)[static_cast<size_t>(axis)].value});
    }
    return emitter.op("Gather", {shapeOf(x), emitter.integers({axis})}, {{"axis", int64_t{0}}});
}

Var reshapeTo(Var x, const std::vector<int64_t>& shape) {
    return reshape(x, x.emitter().integers(shape));
}

Var channelsFirst(Var x) {
    std::vector<int64_t> order{0, x.rank() - 1};
    for (int64_t axis = 1; axis + 1 < x.rank(); ++axis) order.push_back(axis);
    return transpose(x, order);
}

Var channelsLast(Var x) {
    std::vector<int64_t> order{0};
    for (int64_t axis = 2; axis < x.rank(); ++axis) order.push_back(axis);
    order.push_back(1);
    return transpose(x, order);
}

/// Before opset 13 the axis is where rows begin, not counted from the end.
Var softmaxOfRows(Var x) { return x.emitter().op("Softmax", {x}, {{"axis", x.rank() - 1}}); }

Var lowestOf(Var like) {
    double lowest = -3.4028234663852886e38;
    if (like.dtype() == DType::Float16) lowest = -65504;
    if (like.dtype() == DType::BFloat16) lowest = -3.3895313892515355e38;
    return like.emitter().constant(Tensor::of<double>({1}, {lowest}).cast(like.dtype()), "lowest");
}

Var countingTo(Var count) {
    GradientEmitter& emitter = count.emitter();
    if (count.value()->isInitializer()) {
        const Tensor& size = count.value()->constant();
        const int64_t length = size.values<int64_t>()[0];
        requireMemory("Counting to " + std::to_string(length),
                      sizeof(int64_t) * static_cast<double>(length));
        std::vector<int64_t> numbers(static_cast<size_t>(length));
        std::iota(numbers.begin(), numbers.end(), int64_t{0});
        return emitter.integers(numbers);
    }
    if (emitter.opset() < 11) {
        throw Error(ErrorCode::Unsupported,
                    "Counting to an unknown size needs Range of opset 11; found opset " +
                        std::to_string(emitter.opset()) + ".",
                    "Export the model with fixed shapes or for a newer opset.");
    }
    const Var zero = emitter.constant(Tensor::scalar<int64_t>(0));
    const Var one = emitter.constant(Tensor::scalar<int64_t>(1));
    return emitter.op("Range", {zero, squeeze(count, {0}), one});
}

}  // namespace temper
