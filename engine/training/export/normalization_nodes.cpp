// SPDX-License-Identifier: Apache-2.0
#include "engine/training/export/normalization_nodes.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/core/error.h"

namespace temper {
namespace {

bool isCaptured(const Graph& model, const Value* input) {
    return std::ranges::any_of(model.nodes(), [&](const Node* node) {
        return std::ranges::count(model.capturedBy(*node), input) > 0;
    });
}

void requireSupported(const Graph& model, const Value* input) {
    const bool captured = isCaptured(model, input);
    if (!captured && input->type().dtype == DType::Float32 && input->type().shape) return;
    throw Error(ErrorCode::Unsupported,
                "The normalization of input '" + input->name() + "' can't be included: " +
                    (captured ? "branches or loops of the model read the input."
                              : "its type is " + formatType(input->type()) +
                                    "; expected float32 of a known rank."),
                "Export the model without it, and normalize the values before.");
}

/// The numbers with dimensions of 1 around `axis`, to broadcast against an input.
Tensor broadcastable(const std::vector<double>& numbers, int64_t axis, int64_t rank) {
    Shape shape;
    if (axis > 0) {
        shape.assign(static_cast<size_t>(rank - axis), 1);
        shape.front() = static_cast<int64_t>(numbers.size());
    }
    return Tensor::of<double>(shape, std::span<const double>(numbers)).cast(DType::Float32);
}

void add(Graph& model, Value* input, const InputNormalization& normalization) {
    requireSupported(model, input);
    const int64_t rank = input->type().rank();
    const Dim* parts = normalization.axis > 0 && normalization.axis < rank
                           ? &(*input->type().shape)[static_cast<size_t>(normalization.axis)]
                           : nullptr;
    const auto count = static_cast<int64_t>(normalization.by.mean.size());
    if (normalization.axis > 0 &&
        (parts == nullptr || (parts->isNumber() && parts->value != count)))
        throw Error(ErrorCode::InvalidInput,
                    "The normalization of input '" + input->name() + "' has " +
                        counted(count, "number") + " along axis " +
                        std::to_string(normalization.axis) + "; the input is " +
                        formatType(input->type()) + ".",
                    "Export with the checkpoint of this model.");
    const std::string& name = input->name();
    const auto step = [&](const char* op, Value* from, const char* number,
                          const std::vector<double>& numbers) {
        Value* operand = model.addInitializer(model.uniqueName(name + "_" + number),
                                              broadcastable(numbers, normalization.axis, rank));
        NodeSpec spec;
        spec.opType = op;
        spec.inputs = {from, operand};
        spec.outputs = {model.uniqueName(name + "_" + (*op == 'S' ? "centred" : "normalized"))};
        spec.name = spec.outputs.front();
        Value* made = model.addNode(std::move(spec))->output(0);
        made->setType(input->type());
        return made;
    };
    // The readers first: afterwards the new nodes read the input, too.
    Value* centred = step("Sub", input, "mean", normalization.by.mean);
    Value* scaled = step("Div", centred, "deviation", normalization.by.deviation);
    model.replaceUses(input, scaled);
    model.setInput(centred->producer(), 0, input);
}

}  // namespace

InputNormalizations addNormalizationNodes(Graph& model, const InputNormalizations& inputs) {
    InputNormalizations done;
    for (const auto& [name, normalization] : inputs) {
        Value* input = model.find(name);
        if (input == nullptr || !input->isGraphInput()) continue;
        add(model, input, normalization);
        done.emplace(name, normalization);
    }
    return done;
}

}  // namespace temper
