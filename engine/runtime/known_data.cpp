// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/known_data.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace temper {
namespace {

std::optional<ValueData> sequenceOf(const std::vector<Value*>& elements) {
    std::vector<Tensor> tensors;
    for (const Value* element : elements) {
        if (element == nullptr || !element->isInitializer()) return std::nullopt;
        tensors.push_back(element->constant());
    }
    return ValueData::sequence(std::move(tensors));
}

/// The node that makes a sequence of these tensors, or an optional without content.
NodeSpec makerOf(Graph& graph, const Value& value, const ValueData& data) {
    NodeSpec spec{.opType = "SequenceConstruct",
                  .inputs = {},
                  .outputs = {graph.uniqueName(value.name() + "_known")}};
    const ValueType& type = value.type();
    if (data.isNothing()) {
        spec.opType = "Optional";
        spec.attributes.emplace("type", ValueType{type.dtype, type.shape, type.isSequence, false});
    } else if (data.tensors.empty()) {
        spec.opType = "SequenceEmpty";
        if (type.isKnown()) spec.attributes["dtype"] = static_cast<int64_t>(type.dtype);
    }
    for (size_t i = 0; i < data.tensors.size(); ++i) {
        const std::string name = graph.uniqueName(value.name() + "_" + std::to_string(i));
        spec.inputs.push_back(graph.addLiteral(name, data.tensors[i]));
    }
    return spec;
}

}  // namespace

std::optional<ValueData> knownData(const Value& value) {
    if (value.isInitializer()) return ValueData(value.constant());
    const Node* maker = value.producer();
    if (maker == nullptr || !maker->domain().empty()) return std::nullopt;
    if (maker->opType() == "SequenceEmpty") return ValueData::sequence({});
    if (maker->opType() == "SequenceConstruct") return sequenceOf(maker->inputs());
    const bool isNothing = maker->opType() == "Optional" && maker->input(0) == nullptr;
    return isNothing ? std::optional(ValueData()) : std::nullopt;
}

void makeKnown(Graph& graph, Value* value, const ValueData& data) {
    if (data.isTensor()) return graph.makeInitializer(value, data.tensor());
    Value* made = graph.addNode(makerOf(graph, *value, data))->output(0);
    made->setType({value->type().dtype, std::nullopt, value->type().isSequence || data.isSequence,
                   data.isNothing()});
    if (value->producer() != nullptr) return graph.takeOver(value, made);
    const std::string name = value->name();
    graph.replaceUses(value, made);
    graph.removeInput(value);
    graph.renameValue(made, name);
}

}  // namespace temper
