// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/plan_types.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/core/counted.h"
#include "engine/ir/attribute_range.h"
#include "engine/ir/captures.h"
#include "engine/ir/custom_operator.h"
#include "engine/ir/tensor_room.h"
#include "engine/ir/type_inference.h"
#include "engine/runtime/unknown_data.h"

namespace temper {

void checkAgainstDeclaration(const Value& input, const TensorType& given) {
    const ValueType& declared = input.type();
    const ValueType found{given.dtype, symbolicShape(given.shape), declared.isSequence};
    bool fits = !declared.isKnown() || declared.dtype == given.dtype;
    if (fits && declared.shape) {
        fits = declared.shape->size() == given.shape.size();
        for (size_t i = 0; fits && i < given.shape.size(); ++i) {
            const Dim& dim = (*declared.shape)[i];
            fits = !dim.isNumber() || dim.value == given.shape[i];
        }
    }
    if (fits) return;
    throw Error(ErrorCode::InvalidInput,
                "Input '" + input.name() + "' is " + formatType(found) + "; the model expects " +
                    formatType(declared) + ".",
                declared.isSequence ? "Feed arrays of this element type and shape."
                                    : "Feed an array of this element type and shape.");
}

namespace {

PlanValue valueOf(const ValueType& type) {
    PlanValue value;
    value.isSequence = type.isSequence;
    value.isOptional = type.isOptional;
    return value;
}

PlanValue planInput(const Value& input, const std::vector<TensorType>& given) {
    PlanValue value = valueOf(input.type());
    value.elements = given;
    if (value.isSequence) {
        for (const TensorType& element : given) checkAgainstDeclaration(input, element);
        return value;
    }
    if (given.size() != 1) {
        throw Error(ErrorCode::InvalidInput,
                    "Input '" + input.name() + "' is " + counted(given.size(), "tensor") +
                        "; the model expects " + formatType(input.type()) + ".",
                    "Feed one array.");
    }
    checkAgainstDeclaration(input, given.front());
    return value;
}

/// An optional has the type of its content.
ValueType typeOf(const PlanValue& value) {
    if (value.elements.empty())
        return {DType::Undefined, std::nullopt, value.isSequence, value.isAbsent};
    const TensorType& first = value.elements.front();
    const bool isUniform = std::all_of(value.elements.begin(), value.elements.end(),
                                       [&](const TensorType& type) { return type == first; });
    if (!isUniform) return {first.dtype, std::nullopt, value.isSequence};
    return {first.dtype, symbolicShape(first.shape), value.isSequence};
}

/// Integers that are all known become data.
Tensor integerTensor(const InferenceContext::Content& content, const TensorType& type) {
    if (type.dtype != DType::Int64 && type.dtype != DType::Int32) return {};
    if (static_cast<int64_t>(content.size()) != type.numElements()) return {};
    Tensor result(DType::Int64, type.shape);
    auto out = result.mutableValues<int64_t>().begin();
    for (const SymbolicInt& number : content) {
        if (!number.value) return {};
        *out++ = *number.value;
    }
    return type.dtype == DType::Int64 ? result : result.cast(DType::Int32);
}

}  // namespace

uint64_t randomStreamOf(const Node& node) {
    uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    for (const char c : node.name()) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    return hash;
}

std::vector<const Value*> fedValues(const Graph& graph) {
    std::vector<const Value*> values(graph.inputs().begin(), graph.inputs().end());
    values.insert(values.end(), graph.captures().begin(), graph.captures().end());
    return values;
}

void addSources(const Graph& graph, const InputTypes& inputTypes, PlanValues& values) {
    const CapturingNodes capturing = capturingNodes(graph);
    for (const Value* input : fedValues(graph)) {
        const auto given = inputTypes.find(input->name());
        if (given != inputTypes.end()) {
            values[input] = planInput(*input, given->second);
            for (const TensorType& type : given->second)
                requireRoom(*input, {type.dtype, symbolicShape(type.shape), false});
        } else if (input->type().isOptional) {
            values[input] = valueOf(input->type());
            values[input].isAbsent = true;
        } else if (!input->uses().empty() || input->isGraphOutput() || capturing.contains(input)) {
            throw Error(
                ErrorCode::InvalidInput,
                "Input '" + input->name() + "' (" + formatType(input->type()) + ") is missing.",
                "Feed an array with this name.");
        }
    }
    for (const Value* initializer : graph.initializers()) {
        PlanValue& value = values[initializer];
        value.constant = initializer->constant();
        value.elements = {{value.constant.dtype(), value.constant.shape()}};
        requireRoom(*initializer,
                    {value.constant.dtype(), symbolicShape(value.constant.shape()), false});
    }
}

/// Reads types and contents of this plan, and collects what the operator reports about its outputs.
class ConcreteInference::Context final : public InferenceContext {
public:
    Context(ConcreteInference& parent, const Node& node)
        : InferenceContext(node, parent.opsetOf(node)),
          parent_(parent),
          inputs_(node.inputs().size()),
          isMissed_(node.inputs().size(), false),
          outputs_(node.outputs().size()) {
        for (size_t i = 0; i < inputs_.size(); ++i) {
            const Value* value = node.input(i);
            if (value != nullptr) inputs_[i] = typeOf(parent_.values_.at(value));
        }
    }

    const ValueType& inputType(size_t i) const override {
        static const ValueType kUnknown;
        return i < inputs_.size() ? inputs_[i] : kUnknown;
    }

    const Tensor* constant(size_t i) const override {
        const Tensor* data = dataOf(i);
        if (data == nullptr) miss(i);
        return data;
    }

    std::optional<Content> content(size_t i) const override {
        if (const Content* known = parent_.contents_.find(node().input(i))) {
            const bool isWhole = std::ranges::all_of(
                *known, [](const SymbolicInt& number) { return number.value.has_value(); });
            if (!isWhole) miss(i);
            return *known;
        }
        const Tensor* data = dataOf(i);
        if (data == nullptr || !isInteger(data->dtype())) {
            miss(i);
            return std::nullopt;
        }
        return contentOf(*data);
    }

    std::optional<std::vector<ValueType>> elements(size_t i) const override {
        const Value* value = node().input(i);
        if (value == nullptr) return std::nullopt;
        std::vector<ValueType> types;
        for (const TensorType& type : parent_.values_.at(value).elements)
            types.push_back({type.dtype, symbolicShape(type.shape)});
        return types;
    }

    bool isAbsent(size_t i) const override {
        const Value* value = node().input(i);
        return value != nullptr && parent_.values_.at(value).isAbsent;
    }

    std::vector<ValueType> inferBody(const Graph& body,
                                     const std::vector<ValueType>& inputs) const override {
        const auto captured = [&](const std::string& name) {
            const PlanValue* found = parent_.values_.find(parent_.graph_.find(name));
            if (found == nullptr) return CapturedValue{};
            return CapturedValue{typeOf(*found), found->constant};
        };
        return inferBodyTypes(body, parent_.graph_.info(), inputs, captured, parent_.catalog_);
    }

    using InferenceContext::setOutput;
    void setOutput(size_t i, ValueType type) override {
        if (i < outputs_.size()) outputs_[i] = std::move(type);
    }

    void setContent(size_t i, Content content) override {
        if (node().output(i) != nullptr) parent_.contents_[node().output(i)] = std::move(content);
    }

    const ValueType& output(size_t i) const { return outputs_[i]; }
    /// The inputs whose data the operator requested in vain.
    std::vector<size_t> missedInputs() const {
        std::vector<size_t> missed;
        for (size_t i = 0; i < isMissed_.size(); ++i) {
            if (isMissed_[i]) missed.push_back(i);
        }
        return missed;
    }

private:
    const Tensor* dataOf(size_t i) const {
        const Value* value = node().input(i);
        if (value == nullptr) return nullptr;
        const Tensor& data = parent_.values_.at(value).constant;
        return data.empty() ? nullptr : &data;
    }

    void miss(size_t i) const {
        if (node().input(i) != nullptr) isMissed_[i] = true;
    }

    ConcreteInference& parent_;
    std::vector<ValueType> inputs_;
    mutable std::vector<bool> isMissed_;
    std::vector<ValueType> outputs_;
};

int64_t ConcreteInference::opsetOf(const Node& node) const {
    return graph_.info().opsetOf(node.domain());
}

std::vector<std::string> ConcreteInference::unknownInputs(const Node& node, bool withFloats) const {
    std::vector<std::string> names;
    for (const Value* input : inputsOf(graph_, node)) {
        if (input == nullptr) continue;
        const PlanValue& known = values_.at(input);
        if (!known.constant.empty() || known.elements.empty()) continue;
        if (withFloats || !isFloating(known.elements.front().dtype)) names.push_back(input->name());
    }
    return names;
}

namespace {

/// Whether a model may declare a type that inference knows only partly.
bool isCompletedBy(const ValueType& inferred, const ValueType& declared) {
    if (inferred.isKnown() && inferred.dtype != declared.dtype) return false;
    if (!inferred.shape) return true;
    return std::ranges::equal(*inferred.shape, *declared.shape, [](const Dim& a, const Dim& b) {
        return !a.isNumber() || a.value == b.value;
    });
}

}  // namespace

void ConcreteInference::requireData(const Node& node, const std::vector<size_t>& missed,
                                    const std::string& message) const {
    std::vector<std::string> unknown;
    for (const size_t i : missed) {
        if (values_.at(node.input(i)).constant.empty()) unknown.push_back(node.input(i)->name());
    }
    if (!unknown.empty()) throw UnknownData(unknown, message);
    if (missed.empty()) return;
    const Value& input = *node.input(missed.front());
    throw Error(ErrorCode::InvalidInput,
                "Input " + std::to_string(missed.front()) + " ('" + input.name() + "') is " +
                    formatType(typeOf(values_.at(&input))) +
                    "; expected integers, from which the shape of the output follows.",
                "Pass an int64 tensor.");
}

ValueType ConcreteInference::declaredType(const Node& node, const Value& output,
                                          const ValueType& inferred) const {
    const std::string message = "The shape of '" + output.name() + "' depends on input data.";
    const ValueType& declared = output.type();
    const std::vector<std::string> integers = unknownInputs(node, false);
    if (!integers.empty() || !declared.isKnown() || !declared.isStatic())
        throw UnknownData(integers.empty() ? unknownInputs(node, true) : integers, message);
    if (isCompletedBy(inferred, declared)) return declared;
    throw Error(ErrorCode::InvalidInput,
                "The model declares '" + output.name() + "' as " + formatType(declared) +
                    "; it is " + formatType(inferred) + ".",
                "Correct the declared shape, or remove it from the model.");
}

std::vector<const Value*> inputsOf(const Graph& graph, const Node& node) {
    std::vector<const Value*> inputs(node.inputs().begin(), node.inputs().end());
    for (const Value* captured : graph.capturedBy(node)) inputs.push_back(captured);
    return inputs;
}

void ConcreteInference::infer(const Node& node) {
    const OpInfo* info = catalog_.find(node);
    if (info == nullptr || !info->infer) {
        throw Error(ErrorCode::Unsupported, "Operator " + node.qualifiedOp() + " is not supported.",
                    adviceOnMissing(node, "Replace the operator, or export the model without it."));
    }
    requireAttributeRange(node);
    Context context(*this, node);
    requireInputKinds(*info, context);
    info->infer(context);
    for (size_t i = 0; i < node.outputs().size(); ++i) {
        const Value* output = node.output(i);
        if (output == nullptr) continue;
        ValueType type = context.output(i);
        if (type.isTensor() && (!type.isKnown() || !type.isStatic())) {
            requireData(node, context.missedInputs(),
                        "The shape of '" + output->name() + "' depends on input data.");
            type = declaredType(node, *output, type);
        }
        requireRoom(*output, type);
        PlanValue value = valueOf(type);
        if (value.isTensor()) {
            value.elements = {{type.dtype, *concreteShape(*type.shape)}};
            if (const auto* content = contents_.find(output)) {
                value.constant = integerTensor(*content, value.elements.front());
            }
        }
        values_[output] = std::move(value);
    }
}

}  // namespace temper
