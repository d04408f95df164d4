// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/type_rules.h"

#include <algorithm>
#include <string>
#include <vector>

namespace temper {
namespace {

std::string inputName(const InferenceContext& context, size_t input) {
    const Value* value = context.node().input(input);
    return "Input " + std::to_string(input) + (value ? " '" + value->name() + "'" : "");
}

std::optional<SymbolicShape> broadcastAll(const InferenceContext& context,
                                          const std::vector<size_t>& inputs) {
    std::optional<SymbolicShape> result = SymbolicShape{};
    try {
        for (const size_t input : inputs) {
            if (context.hasInput(input)) result = broadcastShapes(result, context.shape(input));
        }
    } catch (Error& error) {
        error.addContext(context.node().describe());
        throw;
    }
    return result;
}

}  // namespace

bool isNumeric(DType dtype) { return isFloating(dtype) || isInteger(dtype); }

bool isSignedNumeric(DType dtype) {
    return isFloating(dtype) || dtype == DType::Int8 || dtype == DType::Int16 ||
           dtype == DType::Int32 || dtype == DType::Int64;
}

bool isBool(DType dtype) { return dtype == DType::Bool; }

bool isIndex(DType dtype) { return dtype == DType::Int32 || dtype == DType::Int64; }

void requireDType(const InferenceContext& context, size_t input, DTypeTest accepts,
                  std::string_view expected) {
    if (!context.hasInput(input)) return;
    const DType found = context.dtype(input);
    if (found == DType::Undefined || accepts(found)) return;
    context.fail(inputName(context, input) + " has the element type " +
                     std::string(dtypeName(found)) + "; expected " + std::string(expected) + ".",
                 "Insert a Cast before it.");
}

void requireFloating(const InferenceContext& context, size_t input) {
    requireDType(context, input, isFloating, "a floating-point type");
}

DType productDType(const InferenceContext& context) {
    const bool isWide = context.node().attribute<int64_t>(kWideResult, 0) != 0;
    return isWide ? DType::Float32 : context.dtype(0);
}

DType dtypeAttribute(const InferenceContext& context, const char* name, DType fallback) {
    const auto number = context.node().attribute<int64_t>(name);
    if (!number) return fallback;
    const auto dtype = static_cast<DType>(*number);
    if (dtypeSize(dtype) > 0 && dtype != DType::String) return dtype;
    context.fail("Attribute '" + std::string(name) + "' is " + std::to_string(*number) +
                 "; expected the number of an element type.");
}

void requireSameDType(const InferenceContext& context, size_t a, size_t b) {
    if (!context.hasInput(a) || !context.hasInput(b)) return;
    const DType first = context.dtype(a);
    const DType second = context.dtype(b);
    if (first == DType::Undefined || second == DType::Undefined || first == second) return;
    context.fail(inputName(context, b) + " has the element type " + std::string(dtypeName(second)) +
                     "; expected " + std::string(dtypeName(first)) + " as input " +
                     std::to_string(a) + ".",
                 "Insert a Cast before one of them.");
}

void requireRank(const InferenceContext& context, size_t input, int64_t rank) {
    if (!context.hasInput(input) || !context.shape(input)) return;
    const auto& shape = *context.shape(input);
    if (static_cast<int64_t>(shape.size()) == rank) return;
    context.fail(inputName(context, input) + " has the shape " + formatShape(shape) +
                 "; expected rank " + std::to_string(rank) + ".");
}

void requireRankAtLeast(const InferenceContext& context, size_t input, int64_t rank) {
    if (!context.hasInput(input) || !context.shape(input)) return;
    const auto& shape = *context.shape(input);
    if (static_cast<int64_t>(shape.size()) >= rank) return;
    context.fail(inputName(context, input) + " has the shape " + formatShape(shape) +
                 "; expected rank " + std::to_string(rank) + " or more.");
}

void sameAsInput(InferenceContext& context, size_t input, size_t output) {
    context.setOutput(output, context.inputType(input));
}

TypeInference floatingSameAs(size_t input) {
    return [input](InferenceContext& context) {
        requireFloating(context, input);
        sameAsInput(context, input);
    };
}

std::optional<SymbolicShape> broadcastInputs(const InferenceContext& context) {
    std::vector<size_t> all;
    for (size_t i = 0; i < context.inputCount(); ++i) all.push_back(i);
    return broadcastAll(context, all);
}

std::optional<SymbolicShape> broadcastInputs(const InferenceContext& context,
                                             std::initializer_list<size_t> inputs) {
    return broadcastAll(context, inputs);
}

int64_t requireAxis(const InferenceContext& context, int64_t axis, int64_t rank) {
    if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
    if (rank == 0) {
        context.fail("Axis " + std::to_string(axis) + " does not exist: the tensor is a scalar.");
    }
    context.fail("Axis " + std::to_string(axis) + " is outside a tensor of rank " +
                 std::to_string(rank) + "; expected " + std::to_string(-rank) + " to " +
                 std::to_string(rank - 1) + ".");
}

std::vector<int64_t> requireAxes(const InferenceContext& context, const std::vector<int64_t>& axes,
                                 int64_t rank) {
    std::vector<int64_t> result;
    for (const int64_t axis : axes) result.push_back(requireAxis(context, axis, rank));
    std::sort(result.begin(), result.end());
    const auto repeated = std::adjacent_find(result.begin(), result.end());
    if (repeated != result.end()) {
        context.fail("Axis " + std::to_string(*repeated) +
                     " is given twice; expected each axis at most once.");
    }
    return result;
}

SymbolicShape unknownDims(size_t rank) { return SymbolicShape(rank, Dim::unknown()); }

std::optional<size_t> lengthOf(const InferenceContext& context, size_t input) {
    const auto& shape = context.shape(input);
    if (!shape || shape->size() != 1 || !shape->front().isNumber()) return std::nullopt;
    return static_cast<size_t>(shape->front().value);
}

std::optional<SymbolicShape> shapeFromInput(const InferenceContext& context, size_t input) {
    requireDType(context, input, isIndex, "int32 or int64");
    if (const auto content = context.content(input)) {
        SymbolicShape result;
        for (const SymbolicInt& number : *content) result.push_back(number.toDim());
        return result;
    }
    const auto length = lengthOf(context, input);
    return length ? std::optional(unknownDims(*length)) : std::nullopt;
}

void passContent(InferenceContext& context, size_t input, size_t output) {
    if (auto content = context.content(input)) context.setContent(output, *std::move(content));
}

Dim mergeDims(const InferenceContext& context, const Dim& a, const Dim& b, std::string_view what) {
    if (a.isNumber() && b.isNumber() && a.value != b.value) {
        context.fail(std::string(what) + " are " + std::to_string(a.value) + " and " +
                     std::to_string(b.value) + "; expected equal numbers.");
    }
    if (a.isNumber()) return a;
    if (b.isNumber()) return b;
    return a.isUnknown() ? b : a;
}

}  // namespace temper
