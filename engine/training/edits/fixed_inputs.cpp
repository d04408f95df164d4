// SPDX-License-Identifier: Apache-2.0
#include "engine/training/edits/fixed_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/control_folding.h"
#include "engine/training/edits/renaming.h"

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
    throw Error(ErrorCode::NotFound,
                "'" + name + "' can't be set to a constant: the model has no input of this name.",
                "Its inputs are: " + joined(model.inputs(), &Value::name) + ".");
}

bool holdsNumbers(const ValueType& type) {
    return !type.isSequence &&
           (isFloating(type.dtype) || isInteger(type.dtype) || type.dtype == DType::Bool);
}

/// An axis of another input that is as long as one of the fixed input.
struct SameLength {
    Value* input = nullptr;
    int64_t axis = 0;
};

/// Null if no remaining input has a dimension of this name.
SameLength sameLength(const Graph& model, const std::string& symbol, const Value& fixed,
                      const FixedInputs& values) {
    for (Value* input : model.inputs()) {
        const ValueType& type = input->type();
        if (input == &fixed || values.contains(input->name()) || !type.shape || !type.isTensor())
            continue;
        for (size_t axis = 0; axis < type.shape->size(); ++axis) {
            if ((*type.shape)[axis] == Dim::named(symbol))
                return {input, static_cast<int64_t>(axis)};
        }
    }
    return {};
}

/// Why the dimensions of the constant are undetermined; empty if they are not.
std::string objectionToShape(const Graph& model, const Value& input, const FixedInputs& values) {
    if (!input.type().shape) return "its rank is unknown";
    for (const Dim& dim : *input.type().shape) {
        if (dim.isUnknown()) return "one of its dimensions has neither a number nor a name";
        if (dim.isSymbol() && sameLength(model, dim.symbol, input, values).input == nullptr)
            return "no other input has its dimension '" + dim.symbol + "'";
    }
    return {};
}

void requireKnownNumbers(const Graph& model, const Value& input, const FixedInputs& values) {
    if (!holdsNumbers(input.type())) {
        throw Error(ErrorCode::InvalidInput,
                    described(input) + " can't be a constant; expected a numeric input.");
    }
    const std::string objection = objectionToShape(model, input, values);
    if (objection.empty()) return;
    throw Error(ErrorCode::InvalidInput,
                described(input) + " can't be a constant: " + objection +
                    "; expected dimensions that are numbers or names of another input's "
                    "dimensions.",
                "Inputs that choose how the model computes, such as a sampling rate, and states "
                "that start with zeros can be set to a constant; data can't. If it is a state, "
                "export the model with the same batch name in all inputs.");
}

/// One element of the input's type.
Tensor elementFor(const Value& input, double value) {
    Tensor element = Tensor::of<double>({1}, {value}).cast(input.type().dtype);
    const bool isExact = isFloating(input.type().dtype) || element.toDouble() == value;
    if (isExact && std::isfinite(value)) return element;
    throw Error(ErrorCode::InvalidInput, described(input) + " can't be " + numberText(value) +
                                             "; expected a number of its type.");
}

/// A vector of whole numbers.
Value* addSizes(Graph& model, const std::string& name, const Shape& sizes) {
    const Shape shape = {static_cast<int64_t>(sizes.size())};
    return model.addLiteral(model.uniqueName(name),
                            Tensor::of<int64_t>(shape, std::span<const int64_t>(sizes)));
}

Value* addSizesNode(Graph& model, const char* opType, const std::string& name,
                    std::vector<Value*> inputs, Attributes attributes = {}) {
    const Node* node = model.addNode({.opType = opType,
                                      .inputs = std::move(inputs),
                                      .outputs = {model.uniqueName(name)},
                                      .attributes = std::move(attributes)});
    return node->output(0);
}

/// The dimensions of the constant, some of which come from other inputs.
Value* addShape(Graph& model, const Value& input, const std::string& name,
                const FixedInputs& values) {
    if (const auto known = concreteShape(*input.type().shape)) return addSizes(model, name, *known);
    std::vector<Value*> sizes;
    for (const Dim& dim : *input.type().shape) {
        if (dim.isNumber()) {
            sizes.push_back(addSizes(model, name + "_size", {dim.value}));
            continue;
        }
        const SameLength same = sameLength(model, dim.symbol, input, values);
        Value* shape = addSizesNode(model, "Shape", name + "_of", {same.input});
        Value* axis = addSizes(model, name + "_axis", {same.axis});
        sizes.push_back(
            addSizesNode(model, "Gather", name + "_size", {shape, axis}, {{"axis", int64_t{0}}}));
    }
    if (sizes.size() == 1) return sizes.front();
    return addSizesNode(model, "Concat", name, std::move(sizes), {{"axis", int64_t{0}}});
}

/// A number that is written into the model or, so that it never counts as a weight, the node that
/// repeats one.
Value* addConstant(Graph& model, const Value& input, const Tensor& element,
                   const FixedInputs& values) {
    const std::optional<Shape> known = concreteShape(*input.type().shape);
    const std::string name = model.uniqueName(input.name() + "_fixed");
    if (known && numElements(*known) == 1) return model.addLiteral(name, element.reshaped(*known));
    Value* shape = addShape(model, input, name + "_shape", values);
    const Node* node = model.addNode({.opType = "ConstantOfShape",
                                      .inputs = {shape},
                                      .outputs = {name},
                                      .attributes = {{"value", element}}});
    node->output(0)->setType(input.type());
    return node->output(0);
}

/// Bodies refer to the input by name.
void fixInput(Graph& model, Value* input, double value, const FixedInputs& values) {
    const std::string name = input->name();
    Value* constant = addConstant(model, *input, elementFor(*input, value), values);
    model.replaceUses(input, constant);
    model.removeInput(input);
    model.renameValue(constant, name);
}

/// Includes all candidates; whether they train is decided later.
std::vector<std::string> possibleParameters(const Graph& model) {
    std::vector<std::string> names;
    for (const Value* value : model.initializers()) {
        if (!value->isLiteral() && isFloating(value->type().dtype)) names.push_back(value->name());
    }
    return names;
}

}  // namespace

void requireFixable(const Graph& model, const std::string& input, double value,
                    const FixedInputs& others) {
    const Value* found = inputCalled(model, input);
    requireKnownNumbers(model, *found, others);
    elementFor(*found, value);
}

void fixInputs(Graph& model, const OpSet& ops, const FixedInputs& values) {
    if (values.empty()) return;
    const std::vector<std::string> changing = possibleParameters(model);
    for (const auto& [name, value] : values) {
        requireFixable(model, name, value, values);
        fixInput(model, inputCalled(model, name), value, values);
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
