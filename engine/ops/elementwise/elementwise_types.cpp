// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "engine/core/small_types.h"
#include "engine/core/wrapping.h"
#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

constexpr size_t kAny = std::numeric_limits<size_t>::max();
using Content = InferenceContext::Content;

// Integer contents: shapes under construction stay known through arithmetic.

using IntegerRule = SymbolicInt (*)(const SymbolicInt&, const SymbolicInt&);

bool is(const SymbolicInt& x, int64_t number) { return x.value == number; }
bool known(const SymbolicInt& a, const SymbolicInt& b) { return a.value && b.value; }

// Sizes beyond 64 bits wrap around, as the kernels do.

SymbolicInt addIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    if (known(a, b)) return SymbolicInt::of(wrappingAdd(*a.value, *b.value));
    if (is(b, 0)) return a;
    return is(a, 0) ? b : SymbolicInt::unknown();
}

SymbolicInt subtractIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    if (known(a, b)) return SymbolicInt::of(wrappingSubtract(*a.value, *b.value));
    return is(b, 0) ? a : SymbolicInt::unknown();
}

SymbolicInt multiplyIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    if (known(a, b)) return SymbolicInt::of(wrappingMultiply(*a.value, *b.value));
    if (is(b, 1)) return a;
    return is(a, 1) ? b : SymbolicInt::unknown();
}

SymbolicInt divideIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    if (known(a, b) && *b.value == -1)
        return SymbolicInt::of(wrappingSubtract<int64_t>(0, *a.value));
    if (known(a, b) && *b.value != 0) return SymbolicInt::of(*a.value / *b.value);
    return is(b, 1) ? a : SymbolicInt::unknown();
}

SymbolicInt modIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    if (!known(a, b) || *b.value == 0) return SymbolicInt::unknown();
    if (*b.value == -1) return SymbolicInt::of(0);
    const int64_t remainder = *a.value % *b.value;
    const bool otherSide = remainder != 0 && (remainder < 0) != (*b.value < 0);
    return SymbolicInt::of(otherSide ? remainder + *b.value : remainder);
}

SymbolicInt minIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    return known(a, b) ? SymbolicInt::of(std::min(*a.value, *b.value)) : SymbolicInt::unknown();
}

SymbolicInt maxIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    return known(a, b) ? SymbolicInt::of(std::max(*a.value, *b.value)) : SymbolicInt::unknown();
}

/// 0 or 1; a symbol stands for a size and so differs from every negative number.
SymbolicInt lessIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    return known(a, b) ? SymbolicInt::of(*a.value < *b.value ? 1 : 0) : SymbolicInt::unknown();
}
SymbolicInt lessOrEqualIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    return known(a, b) ? SymbolicInt::of(*a.value <= *b.value ? 1 : 0) : SymbolicInt::unknown();
}
SymbolicInt greaterIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    return lessIntegers(b, a);
}
SymbolicInt greaterOrEqualIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    return lessOrEqualIntegers(b, a);
}

// Logic of booleans, 0 and 1: one operand may decide the result.
SymbolicInt bothTrue(const SymbolicInt& a, const SymbolicInt& b) {
    if (is(a, 0) || is(b, 0)) return SymbolicInt::of(0);
    return known(a, b) ? SymbolicInt::of(1) : SymbolicInt::unknown();
}
SymbolicInt oneTrue(const SymbolicInt& a, const SymbolicInt& b) {
    if (is(a, 1) || is(b, 1)) return SymbolicInt::of(1);
    return known(a, b) ? SymbolicInt::of(0) : SymbolicInt::unknown();
}
SymbolicInt differ(const SymbolicInt& a, const SymbolicInt& b) {
    return known(a, b) ? SymbolicInt::of(*a.value != *b.value ? 1 : 0) : SymbolicInt::unknown();
}

SymbolicInt equalIntegers(const SymbolicInt& a, const SymbolicInt& b) {
    if (known(a, b)) return SymbolicInt::of(*a.value == *b.value ? 1 : 0);
    const bool symbolAgainstNegative = (!a.symbol.empty() && b.value.value_or(0) < 0) ||
                                       (!b.symbol.empty() && a.value.value_or(0) < 0);
    if (symbolAgainstNegative) return SymbolicInt::of(0);
    return !a.symbol.empty() && a == b ? SymbolicInt::of(1) : SymbolicInt::unknown();
}

const SymbolicInt& at(const Content& content, size_t i) {
    return content.size() == 1 ? content.front() : content[i];
}

bool isVector(const std::optional<SymbolicShape>& shape) { return shape && shape->size() <= 1; }

void setCombinedContent(InferenceContext& context, IntegerRule rule) {
    std::optional<Content> result = context.content(0);
    for (size_t k = 1; k < context.inputCount() && result; ++k) {
        const std::optional<Content> other = context.content(k);
        if (!other || !isVector(context.shape(k)) || result->empty() || other->empty()) return;
        const size_t size = std::max(result->size(), other->size());
        if ((result->size() != 1 && result->size() != size) ||
            (other->size() != 1 && other->size() != size)) {
            return;
        }
        Content combined;
        for (size_t i = 0; i < size; ++i) {
            combined.push_back(rule(at(*result, i), at(*other, i)));
        }
        result = std::move(combined);
    }
    if (result && isVector(context.shape(0))) context.setContent(0, std::move(*result));
}

// Families of operators

/// All inputs broadcast; one element type for all.
TypeInference arithmetic(IntegerRule rule) {
    return [rule](InferenceContext& context) {
        for (size_t i = 0; i < context.inputCount(); ++i) {
            requireDType(context, i, isNumeric, "a number");
            requireSameDType(context, 0, i);
        }
        context.setOutput(0, context.dtype(0), broadcastInputs(context));
        if (rule != nullptr) setCombinedContent(context, rule);
    };
}

TypeInference floatingArithmetic() {
    return [](InferenceContext& context) {
        for (size_t i = 0; i < context.inputCount(); ++i) {
            requireFloating(context, i);
            requireSameDType(context, 0, i);
        }
        context.setOutput(0, context.dtype(0), broadcastInputs(context));
    };
}

void inferPow(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    requireDType(context, 1, isNumeric, "a number");
    if (context.opset() < 12) requireSameDType(context, 0, 1);
    context.setOutput(0, context.dtype(0), broadcastInputs(context));
}

bool isComparable(DType dtype) {
    return isNumeric(dtype) || dtype == DType::Bool || dtype == DType::String;
}

TypeInference comparison(DTypeTest accepts, IntegerRule rule) {
    return [accepts, rule](InferenceContext& context) {
        requireDType(context, 0, accepts, "a comparable type");
        requireSameDType(context, 0, 1);
        context.setOutput(0, DType::Bool, broadcastInputs(context));
        if (rule != nullptr) setCombinedContent(context, rule);
    };
}

TypeInference logic(IntegerRule rule) {
    return [rule](InferenceContext& context) {
        requireDType(context, 0, isBool, "bool");
        requireDType(context, 1, isBool, "bool");
        context.setOutput(0, DType::Bool, broadcastInputs(context));
        setCombinedContent(context, rule);
    };
}

void inferNot(InferenceContext& context) {
    requireDType(context, 0, isBool, "bool");
    sameAsInput(context);
    auto content = context.content(0);
    if (!content) return;
    for (SymbolicInt& truth : *content) {
        truth = truth.value ? SymbolicInt::of(*truth.value == 0 ? 1 : 0) : SymbolicInt::unknown();
    }
    context.setContent(0, std::move(*content));
}

TypeInference unary(DTypeTest accepts, std::string_view expected) {
    return [accepts, expected](InferenceContext& context) {
        requireDType(context, 0, accepts, expected);
        sameAsInput(context);
    };
}

void inferNeg(InferenceContext& context) {
    requireDType(context, 0, isSignedNumeric, "a signed number");
    sameAsInput(context);
    if (auto content = context.content(0)) {
        for (SymbolicInt& number : *content) {
            number = number.value ? SymbolicInt::of(wrappingSubtract<int64_t>(0, *number.value))
                                  : SymbolicInt::unknown();
        }
        context.setContent(0, std::move(*content));
    }
}

void inferIdentity(InferenceContext& context) {
    sameAsInput(context);
    if (auto content = context.content(0)) context.setContent(0, std::move(*content));
}

void inferFloatTest(InferenceContext& context) {
    requireFloating(context, 0);
    context.setOutput(0, DType::Bool, context.shape(0));
}

void castTo(InferenceContext& context, DType dtype) {
    context.setOutput(0, dtype, context.shape(0));
    auto content = context.content(0);
    if (!content || (!isInteger(context.dtype(0)) && context.dtype(0) != DType::Bool)) return;
    if (dtype == DType::Bool) {
        for (SymbolicInt& number : *content) {
            if (number.value) number = SymbolicInt::of(*number.value != 0 ? 1 : 0);
            if (!number.value) number = SymbolicInt::unknown();
        }
    } else if (!isInteger(dtype)) {
        return;
    }
    context.setContent(0, std::move(*content));
}

void inferCast(InferenceContext& context) {
    const auto to = context.node().attribute<int64_t>("to");
    if (!to) context.fail("Attribute 'to' is missing; expected the element type to cast to.");
    const DType dtype = static_cast<DType>(*to);
    if (dtypeSize(dtype) == 0) {
        context.fail("Attribute 'to' is " + std::to_string(*to) +
                     "; expected the number of an element type.");
    }
    castTo(context, dtype);
}

/// The same bits as numbers of another type.
void inferBitCast(InferenceContext& context) {
    const auto to = static_cast<DType>(context.node().attribute<int64_t>("to", 0));
    const DType from = context.dtype(0);
    if (dtypeSize(to) == 0 || to == DType::String) {
        context.fail("Attribute 'to' is " + std::to_string(static_cast<int>(to)) +
                     "; expected the number of an element type other than string.");
    }
    if (from != DType::Undefined && (storedBits(from) != storedBits(to) || from == DType::String)) {
        context.fail("The input is " + std::string(dtypeName(from)) + ", the output " +
                     std::string(dtypeName(to)) + "; expected types of the same width.");
    }
    context.setOutput(0, to, context.shape(0));
}

void inferCastLike(InferenceContext& context) { castTo(context, context.dtype(1)); }

void inferClip(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    for (size_t i = 1; i < context.inputCount(); ++i) requireSameDType(context, 0, i);
    sameAsInput(context);
}

/// x, low, high
void inferIsWithin(InferenceContext& context) {
    requireDType(context, 0, isNumeric, "a number");
    for (const size_t i : {1, 2}) requireSameDType(context, 0, i);
    context.setOutput(0, DType::Bool, context.shape(0));
}

void inferWhere(InferenceContext& context) {
    requireDType(context, 0, isBool, "bool");
    requireSameDType(context, 1, 2);
    const DType dtype = context.dtype(1) == DType::Undefined ? context.dtype(2) : context.dtype(1);
    context.setOutput(0, dtype, broadcastInputs(context));
    const auto condition = context.content(0);
    const auto yes = context.content(1);
    const auto no = context.content(2);
    if (!condition || !yes || !no || yes->empty() || no->empty()) return;
    Content result;
    for (size_t i = 0; i < condition->size(); ++i) {
        const bool fits = (yes->size() == 1 || yes->size() == condition->size()) &&
                          (no->size() == 1 || no->size() == condition->size());
        if (!fits) return;
        const std::optional<int64_t>& choice = (*condition)[i].value;
        result.push_back(!choice        ? SymbolicInt::unknown()
                         : *choice != 0 ? at(*yes, i)
                                        : at(*no, i));
    }
    context.setContent(0, std::move(result));
}

void inferDivGrad(InferenceContext& context) {
    for (size_t i = 0; i < 3; ++i) requireFloating(context, i);
    for (const size_t i : {1, 2}) requireSameDType(context, 0, i);
    const auto output = broadcastInputs(context, {1, 2});
    if (output && context.shape(0)) {
        requireRank(context, 0, static_cast<int64_t>(output->size()));
        for (size_t i = 0; i < output->size(); ++i)
            mergeDims(context, (*context.shape(0))[i], (*output)[i], "A dimension of the gradient");
    }
    sameAsInput(context, 1, 0);
    sameAsInput(context, 2, 1);
}

void inferScale(InferenceContext& context) {
    requireFloating(context, 0);
    requireDType(context, 1, isNumeric, "a number");
    sameAsInput(context);
}

void inferScaledSum(InferenceContext& context) {
    for (size_t i = 0; i < context.inputCount(); ++i) {
        requireFloating(context, i);
        requireSameDType(context, 0, i);
        if (!context.hasInput(i) || !context.shape(0) || !context.shape(i)) continue;
        requireRank(context, i, context.inputType(0).rank());
        for (size_t axis = 0; axis < context.shape(0)->size(); ++axis) {
            mergeDims(context, (*context.shape(0))[axis], (*context.shape(i))[axis],
                      "Dimensions of the terms");
        }
    }
    sameAsInput(context);
}

void inferBatchScale(InferenceContext& context) {
    requireFloating(context, 0);
    for (size_t i = 0; i < context.node().outputs().size(); ++i) sameAsInput(context, 0, i);
}

void addArithmetic(OpCatalog& catalog) {
    const OperatorFacts facts{.isElementwise = true, .keepsUnits = true};
    catalog.add({"", "Add", arithmetic(addIntegers), 2, 2, {}}, facts);
    catalog.add({"", "Sub", arithmetic(subtractIntegers), 2, 2, {}}, facts);
    catalog.add({"", "Mul", arithmetic(multiplyIntegers), 2, 2, {}}, facts);
    catalog.add({"", "Sum", floatingArithmetic(), 1, kAny, {}}, facts);
    catalog.add({"", "Div", arithmetic(divideIntegers), 2, 2, {}}, facts);
    const OperatorFacts others{.isElementwise = true};
    catalog.add({"", "Mod", arithmetic(modIntegers), 2, 2, {}}, others);
    catalog.add({"", "Pow", inferPow, 2, 2, {}}, others);
    catalog.add({"", "Min", arithmetic(minIntegers), 1, kAny, {}}, others);
    catalog.add({"", "Max", arithmetic(maxIntegers), 1, kAny, {}}, others);
    catalog.add({"", "Mean", floatingArithmetic(), 1, kAny, {}}, others);
}

void addUnary(OpCatalog& catalog) {
    const OperatorFacts facts{.isElementwise = true};
    for (const char* op :
         {"Exp", "Log", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Sin", "Cos", "Tan", "Asin",
          "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh"}) {
        catalog.add({"", op, floatingSameAs(), 1, 1, {}}, facts);
    }
    catalog.add({"", "Abs", unary(isNumeric, "a number"), 1, 1, {}}, facts);
    catalog.add({"", "Sign", unary(isNumeric, "a number"), 1, 1, {}}, facts);
    catalog.add({"", "Erf", unary(isNumeric, "a number"), 1, 1, {}},
                {.family = OperatorFamily::Activation, .isElementwise = true});
    catalog.add({"", "Neg", inferNeg, 1, 1, {}}, facts);
    catalog.add(
        {"", "Identity", inferIdentity, 1, 1, {}},
        {.takesSequences = true, .isElementwise = true, .movesData = true, .keepsClasses = true});
    catalog.add({"", "Clip", inferClip, 1, 3, {1, 2}}, {.family = OperatorFamily::Activation,
                                                        .isElementwise = true,
                                                        .keepsClasses = true,
                                                        .isFlatSomewhere = true});
    catalog.add({"", "Cast", inferCast, 1, 1, {}}, {.family = OperatorFamily::Arrangement,
                                                    .isElementwise = true,
                                                    .movesData = true,
                                                    .keepsClasses = true});
    catalog.add({"", "CastLike", inferCastLike, 2, 2, {1}}, {.movesData = true});
    catalog.add({"", "BitCast", inferBitCast, 1, 1, {0}});
    catalog.add({"", "IsNaN", inferFloatTest, 1, 1, {0}}, facts);
    catalog.add({"", "IsInf", inferFloatTest, 1, 1, {0}}, facts);
    catalog.add({"", "Not", inferNot, 1, 1, {0}}, facts);
}

void addComparisons(OpCatalog& catalog) {
    const OperatorFacts facts{.isElementwise = true};
    catalog.add({"", "Equal", comparison(isComparable, equalIntegers), 2, 2, {0, 1}}, facts);
    catalog.add({"", "Less", comparison(isNumeric, lessIntegers), 2, 2, {0, 1}}, facts);
    catalog.add({"", "LessOrEqual", comparison(isNumeric, lessOrEqualIntegers), 2, 2, {0, 1}},
                facts);
    catalog.add({"", "Greater", comparison(isNumeric, greaterIntegers), 2, 2, {0, 1}}, facts);
    catalog.add({"", "GreaterOrEqual", comparison(isNumeric, greaterOrEqualIntegers), 2, 2, {0, 1}},
                facts);
    catalog.add({"", "And", logic(bothTrue), 2, 2, {0, 1}}, facts);
    catalog.add({"", "Or", logic(oneTrue), 2, 2, {0, 1}}, facts);
    catalog.add({"", "Xor", logic(differ), 2, 2, {0, 1}}, facts);
    catalog.add({"", "Where", inferWhere, 3, 3, {0}}, facts);
    catalog.add({std::string(kTemperDomain), "IsWithin", inferIsWithin, 3, 3});
}

}  // namespace

void registerElementwiseTypes(OpCatalog& catalog) {
    addArithmetic(catalog);
    addUnary(catalog);
    addComparisons(catalog);
    const std::string ms(kMicrosoftDomain);
    catalog.add({ms, "DivGrad", inferDivGrad, 3, 3, {}});
    catalog.add({ms, "Scale", inferScale, 2, 2, {1}});
    catalog.add({ms, "ScaledSum", inferScaledSum, 2, 3, {}});
    catalog.add({ms, "BatchScale", inferBatchScale, 1, 1, {}});
}

}  // namespace temper
