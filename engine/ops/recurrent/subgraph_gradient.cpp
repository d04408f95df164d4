// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/recurrent/subgraph_gradient.h"

#include <utility>

namespace temper {
namespace {

std::string nameOf(const Node& node) {
    if (!node.name().empty()) return node.name();
    for (const Value* output : node.outputs()) {
        if (output != nullptr) return output->name() + "_" + node.opType();
    }
    return node.opType();
}

}  // namespace

Subgraph::Subgraph(Graph& graph, Node* replaced)
    : graph_(graph),
      replaced_(replaced),
      prefix_(nameOf(*replaced)),
      dtype_(replaced->input(0)->type().dtype) {
    if (dtype_ == DType::Undefined) dtype_ = DType::Float32;
}

bool Subgraph::wants(size_t output) const {
    const Value* value = replaced_->output(output);
    return value != nullptr && (!value->uses().empty() || value->isGraphOutput());
}

std::string Subgraph::uniqueName(std::string_view opType) {
    return graph_.uniqueName(prefix_ + "/" + std::string(opType) + "_" +
                             std::to_string(counter_++));
}

Subgraph::Values Subgraph::ops(std::string_view domain, std::string_view opType,
                               const Values& inputs, Attributes attributes, size_t count) {
    const std::string name = uniqueName(opType);
    std::vector<std::string> outputs;
    for (size_t i = 0; i < count; ++i) {
        outputs.push_back(
            graph_.uniqueName(name + (count == 1 ? "" : "_output_" + std::to_string(i))));
    }
    return graph_
        .addNode({std::string(opType), inputs, std::move(outputs), std::move(attributes),
                  std::string(domain), name})
        ->outputs();
}

Value* Subgraph::op(std::string_view opType, const Values& inputs, Attributes attributes) {
    return ops(kOnnxDomain, opType, inputs, std::move(attributes), 1).front();
}

Value* Subgraph::literal(Tensor data) {
    return graph_.addLiteral(uniqueName("Constant"), std::move(data));
}

Value* Subgraph::number(double value) { return literal(Tensor::scalar(value).cast(dtype_)); }

Value* Subgraph::integers(const std::vector<int64_t>& values) {
    const Shape shape = {static_cast<int64_t>(values.size())};
    return literal(Tensor::of<int64_t>(shape, std::span<const int64_t>(values)));
}

Value* Subgraph::transpose(Value* x, const std::vector<int64_t>& permutation) {
    return op("Transpose", {x}, {{"perm", permutation}});
}

Value* Subgraph::squeeze(Value* x, int64_t axis) {
    if (opset() < 13) return op("Squeeze", {x}, {{"axes", std::vector<int64_t>{axis}}});
    return op("Squeeze", {x, integers({axis})});
}

Value* Subgraph::unsqueeze(Value* x, int64_t axis) {
    if (opset() < 13) return op("Unsqueeze", {x}, {{"axes", std::vector<int64_t>{axis}}});
    return op("Unsqueeze", {x, integers({axis})});
}

Value* Subgraph::concat(const Values& parts, int64_t axis) {
    return parts.size() == 1 ? parts.front() : op("Concat", parts, {{"axis", axis}});
}

Subgraph::Values Subgraph::split(Value* x, int64_t axis, const std::vector<int64_t>& lengths) {
    if (lengths.size() == 1) return {x};
    if (opset() < 13) {
        return ops(kOnnxDomain, "Split", {x}, {{"axis", axis}, {"split", lengths}}, lengths.size());
    }
    return ops(kOnnxDomain, "Split", {x, integers(lengths)}, {{"axis", axis}}, lengths.size());
}

Subgraph::Values Subgraph::splitEvenly(Value* x, int64_t axis, size_t count, int64_t length) {
    if (x == nullptr) return Values(count, nullptr);
    return split(x, axis, std::vector<int64_t>(count, length));
}

void Subgraph::replaceBy(const Values& outputs) {
    graph_.replaceNode(std::exchange(replaced_, nullptr), outputs);
}

}  // namespace temper
