// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/replacing.h"

#include <utility>

namespace temper {

Value* addWholeNumbers(Graph& graph, const std::string& stem, const std::vector<int64_t>& numbers,
                       Shape shape) {
    return graph.addInitializer(
        graph.uniqueName(stem),
        Tensor::of<int64_t>(std::move(shape), std::span<const int64_t>(numbers)));
}

Replacing::Replacing(Graph& graph, Value* replaced)
    : graph_(graph), replaced_(replaced), name_(replaced->name()) {}

Value* Replacing::add(const std::string& op, std::vector<Value*> inputs, Attributes attributes) {
    return graph_
        .addNode({op,
                  std::move(inputs),
                  {graph_.uniqueName(name_ + "_made")},
                  std::move(attributes),
                  {},
                  name_ + "/" + op})
        ->output(0);
}

Value* Replacing::reshape(Value* value, const Shape& shape) {
    const auto rank = static_cast<int64_t>(shape.size());
    return add("Reshape", {value, addWholeNumbers(graph_, name_ + "_shape", shape, {rank})});
}

void Replacing::finish(Value* made) {
    const ValueType type = replaced_->type();
    graph_.renameValue(replaced_, graph_.uniqueName(name_ + "_copy"));
    graph_.replaceUses(replaced_, made);
    graph_.removeInitializer(replaced_);
    graph_.renameValue(made, name_);
    made->setType(type);
}

}  // namespace temper
