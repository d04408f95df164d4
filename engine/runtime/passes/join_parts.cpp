// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/runtime/passes/node_match.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/kernel_lowering.h"

namespace temper {
namespace {

bool isMicrosoft(const Node* node, std::string_view op) {
    return node != nullptr && node->domain() == kMicrosoftDomain && node->opType() == op;
}

/// Zeros, and a gradient in one place.
bool isGradientOfPart(const Value* value) {
    const Node* maker = value->producer();
    return (isMicrosoft(maker, "GatherGrad") || isMicrosoft(maker, "SliceGrad")) &&
           value->uses().size() == 1 && !value->isGraphOutput();
}

bool mayJoin(const Node* node) {
    return isOnnx(node, "Sum") && std::ranges::count_if(node->inputs(), isGradientOfPart) >= 2;
}

/// nullopt if it is unknown, or there are several.
std::optional<int64_t> integerIn(const Value* value) {
    if (value == nullptr || !value->isInitializer() || value->constant().numElements() != 1)
        return std::nullopt;
    const Tensor wide = value->constant().cast(DType::Int64);
    return wide.values<int64_t>()[0];
}

/// A part along one axis, and its gradient.
struct Part {
    Node* maker = nullptr;  ///< GatherGrad or SliceGrad
    Value* gradient = nullptr;
    Shape whole;
    size_t axis = 0;
    int64_t begin = 0;
    int64_t count = 0;
};

/// Along the axis, which may count from the end.
std::optional<Part> partAt(Node* maker, Value* gradient, int64_t axis, const Shape& whole) {
    const auto rank = static_cast<int64_t>(whole.size());
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return std::nullopt;
    return Part{maker, gradient, whole, static_cast<size_t>(axis)};
}

/// One index along the axis.
std::optional<Part> partOfGather(Node* maker, const Shape& whole) {
    const auto index = integerIn(maker->input(1));
    auto part = partAt(maker, maker->input(2), maker->attribute<int64_t>("axis", 0), whole);
    if (!index || !part) return std::nullopt;
    const int64_t length = whole[part->axis];
    part->begin = *index < 0 ? *index + length : *index;
    part->count = 1;
    return part;
}

/// A slice along one axis without gaps.
std::optional<Part> partOfSlice(Node* maker, const Shape& whole) {
    const auto start = integerIn(maker->input(2)), end = integerIn(maker->input(3));
    const auto axis = maker->input(4) == nullptr ? 0 : integerIn(maker->input(4));
    const auto step = maker->input(5) == nullptr ? 1 : integerIn(maker->input(5));
    if (!start || !end || !axis || step != 1) return std::nullopt;
    auto part = partAt(maker, maker->input(0), *axis, whole);
    if (!part) return std::nullopt;
    const int64_t length = whole[part->axis];
    const auto place = [&](int64_t position) {
        return std::clamp<int64_t>(position < 0 ? position + length : position, 0, length);
    };
    part->begin = place(*start);
    part->count = std::max<int64_t>(place(*end) - part->begin, 0);
    return part;
}

std::optional<Part> partIn(const Value* value) {
    if (!isGradientOfPart(value) || !value->type().isStatic()) return std::nullopt;
    const Shape whole = *concreteShape(*value->type().shape);
    Node* maker = value->producer();
    return isMicrosoft(maker, "GatherGrad") ? partOfGather(maker, whole)
                                            : partOfSlice(maker, whole);
}

/// Whether the parts, in order, are the whole array.
bool areComplete(const std::vector<Part>& parts) {
    int64_t end = 0;
    for (const Part& part : parts) {
        if (part.axis != parts.front().axis || part.begin != end || part.count == 0) return false;
        end += part.count;
    }
    return end == parts.front().whole[parts.front().axis];
}

/// The gradient with the axis, of length 1, that Gather removed if its index was a number.
Value* withAxis(Graph& graph, const Part& part) {
    if (!isMicrosoft(part.maker, "GatherGrad")) return part.gradient;
    Shape shape = part.whole;
    shape[part.axis] = 1;
    Value* result = part.maker->output(0);
    const Tensor sizes =
        Tensor::of<int64_t>({static_cast<int64_t>(shape.size())}, std::span<const int64_t>(shape));
    graph.setOpType(part.maker, "Reshape", std::string(kOnnxDomain));
    part.maker->removeAttribute("axis");
    part.maker->setAttribute("allowzero", int64_t{1});
    graph.setInput(part.maker, 0, part.gradient);
    graph.setInput(part.maker, 1,
                   graph.addInitializer(graph.uniqueName(result->name() + "_shape"), sizes));
    graph.truncateInputs(part.maker, 2);
    result->setType({result->type().dtype, symbolicShape(shape), false});
    return result;
}

void becomeConcat(Graph& graph, Node* node, const std::vector<Value*>& parts, size_t axis) {
    graph.setOpType(node, "Concat", std::string(kOnnxDomain));
    node->setAttribute("axis", static_cast<int64_t>(axis));
    for (size_t i = 0; i < parts.size(); ++i) graph.setInput(node, i, parts[i]);
    graph.truncateInputs(node, parts.size());
}

/// Sum(others..., gradients of all parts) becomes Sum(others..., Concat(gradients)). Nodes become
/// others where they are, so that the order stays.
bool join(Graph& graph, Node* sum, const std::unordered_set<const Value*>& captured) {
    std::vector<Part> parts;
    std::vector<Value*> others;
    for (Value* input : sum->inputs()) {
        const auto part = captured.contains(input) ? std::nullopt : partIn(input);
        if (part)
            parts.push_back(*part);
        else
            others.push_back(input);
    }
    if (parts.size() < 2) return false;
    std::ranges::stable_sort(parts, {}, &Part::begin);
    const Part last =
        *std::ranges::max_element(parts, {}, [](const Part& part) { return part.maker->index(); });
    const bool isSumOfParts = others.empty();
    if (!areComplete(parts) || (!isSumOfParts && !isMicrosoft(last.maker, "SliceGrad")))
        return false;
    std::vector<Value*> joined;
    for (const Part& part : parts) joined.push_back(withAxis(graph, part));
    if (isSumOfParts) {
        becomeConcat(graph, sum, joined, last.axis);
        return true;
    }
    becomeConcat(graph, last.maker, joined, last.axis);
    others.push_back(last.maker->output(0));
    for (size_t i = 0; i < others.size(); ++i) graph.setInput(sum, i, others[i]);
    graph.truncateInputs(sum, others.size());
    return true;
}

}  // namespace

std::unique_ptr<Graph> joinParts(const Graph& graph, const InputTypes& inputTypes,
                                 const OpCatalog& catalog, const KernelRegistry& /*kernels*/,
                                 const PlanOptions& /*options*/) {
    if (std::ranges::none_of(graph.nodes(), mayJoin)) return nullptr;
    std::unique_ptr<Graph> result = withTypes(graph, inputTypes, catalog).graph;
    std::unordered_set<const Value*> captured;
    for (const Node* node : result->nodes()) {
        for (const Value* value : result->capturedBy(*node)) captured.insert(value);
    }
    bool isChanged = false;
    for (Node* node : result->nodes()) {
        if (mayJoin(node)) isChanged = join(*result, node, captured) || isChanged;
    }
    if (!isChanged) return nullptr;
    result->removeUnused();
    return result;
}

}  // namespace temper
