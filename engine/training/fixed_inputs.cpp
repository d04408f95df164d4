// SPDX-License-Identifier: Apache-2.0
#include "engine/training/fixed_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"
#include "engine/training/renaming.h"

namespace temper {
namespace {

std::string numberText(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

std::string described(const Value& input) {
    return "Input '" + input.name() + "' (" + formatType(input.type()) + ")";
}

Value* inputCalled(const Graph& model, const std::string& name) {
    Value* value = model.find(name);
    if (value != nullptr && value->isGraphInput()) return value;
    std::string inputs;
    for (const Value* input : model.inputs()) {
        inputs += (inputs.empty() ? "" : ", ") + input->name();
    }
    throw Error(ErrorCode::NotFound,
                "'" + name + "' is to be a constant, but the model has no input of this name.",
                "Its inputs are: " + inputs + ".");
}

bool holdsNumbers(const ValueType& type) {
    return !type.isSequence &&
           (isFloating(type.dtype) || isInteger(type.dtype) || type.dtype == DType::Bool);
}

void requireKnownNumbers(const Value& input) {
    if (!holdsNumbers(input.type())) {
        throw Error(ErrorCode::InvalidInput,
                    described(input) + " can't be a constant; expected an input of numbers.");
    }
    if (!input.type().isStatic()) {
        throw Error(ErrorCode::InvalidInput,
                    described(input) +
                        " can't be a constant; expected an input whose dimensions "
                        "are all known.",
                    "Inputs that choose how the model computes, such as a sampling rate, can be "
                    "set to a constant; data can't.");
    }
}

/// One element of the input's type.
Tensor elementFor(const Value& input, double value) {
    Tensor element = Tensor::of<double>({1}, {value}).cast(input.type().dtype);
    const bool isExact = isFloating(input.type().dtype) || element.toDouble() == value;
    if (isExact && std::isfinite(value)) return element;
    throw Error(ErrorCode::InvalidInput, described(input) + " can't be " + numberText(value) +
                                             "; expected a number of its type.");
}

/// A number that is written into the model or, so that it never counts as a weight, the node that
/// repeats one.
Value* addConstant(Graph& model, const Value& input, const Tensor& element) {
    const Shape shape = *concreteShape(*input.type().shape);
    const std::string name = model.uniqueName(input.name() + "_fixed");
    if (numElements(shape) == 1) return model.addLiteral(name, element.reshaped(shape));
    const Shape rank = {static_cast<int64_t>(shape.size())};
    Value* sizes = model.addLiteral(model.uniqueName(name + "_shape"),
                                    Tensor::of<int64_t>(rank, std::span<const int64_t>(shape)));
    const Node* node = model.addNode({.opType = "ConstantOfShape",
                                      .inputs = {sizes},
                                      .outputs = {name},
                                      .attributes = {{"value", element}}});
    node->output(0)->setType(input.type());
    return node->output(0);
}

/// Bodies read it by its name.
void fixInput(Graph& model, Value* input, double value) {
    const std::string name = input->name();
    Value* constant = addConstant(model, *input, elementFor(*input, value));
    model.replaceUses(input, constant);
    model.removeInput(input);
    model.renameValue(constant, name);
}

/// Whether they train is decided later.
std::vector<std::string> possibleParameters(const Graph& model) {
    std::vector<std::string> names;
    for (const Value* value : model.initializers()) {
        if (!value->isLiteral() && isFloating(value->type().dtype)) names.push_back(value->name());
    }
    return names;
}

}  // namespace

void requireFixable(const Graph& model, const std::string& input, double value) {
    const Value* found = inputCalled(model, input);
    requireKnownNumbers(*found);
    elementFor(*found, value);
}

void fixInputs(Graph& model, const OpSet& ops, const FixedInputs& values) {
    if (values.empty()) return;
    const std::vector<std::string> changing = possibleParameters(model);
    for (const auto& [name, value] : values) {
        requireFixable(model, name, value);
        fixInput(model, inputCalled(model, name), value);
    }
    inferTypes(model, ops.catalog);
    model = std::move(*withFoldedControlFlow(model, ops.catalog, ops.cpuKernels, changing));
    model.removeUnused();
    inferTypes(model, ops.catalog);
}

TrainingSpec withFixedInput(TrainingSpec spec, const std::string& current, double value) {
    const std::string original = originalName(spec.rename, current);
    spec.rename.erase(original);
    spec.run.binding.erase(current);
    spec.fixedInputs[original] = value;
    return spec;
}

}  // namespace temper
