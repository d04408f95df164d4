// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/formula_functions.h"

#include <algorithm>
#include <cmath>

#include "engine/training/blocks/blocks.h"

namespace temper {
namespace {

using TermKind = LossTerm::Kind;

}  // namespace

const std::vector<TensorFunction>& tensorFunctions() {
    using M = BlockModel;
    static const std::vector<TensorFunction> kFunctions = {
        {kMeanCall, false, false,
         [](M& m, Value* x, int64_t) { return blocks::reduceMean(m, x, false); }},
        {kSumCall, false, false,
         [](M& m, Value* x, int64_t) { return blocks::reduceSum(m, x, false); }},
        {"abs", false, true, [](M& m, Value* x, int64_t) { return blocks::abs(m, x); }},
        {"exp", false, true, [](M& m, Value* x, int64_t) { return blocks::exp(m, x); }},
        {"log", false, true, [](M& m, Value* x, int64_t) { return blocks::log(m, x); }},
        {"sqrt", false, true, [](M& m, Value* x, int64_t) { return blocks::sqrt(m, x); }},
        {"sigmoid", false, true, [](M& m, Value* x, int64_t) { return blocks::sigmoid(m, x); }},
        {"softmax", true, true, [](M& m, Value* x, int64_t a) { return blocks::softmax(m, x, a); }},
        {"log_softmax", true, true,
         [](M& m, Value* x, int64_t a) { return blocks::logSoftmax(m, x, a); }},
    };
    return kFunctions;
}

const TensorFunction* findTensorFunction(std::string_view name) {
    const auto& all = tensorFunctions();
    const auto found = std::ranges::find(all, name, &TensorFunction::name);
    return found == all.end() ? nullptr : &*found;
}

std::optional<double> numberOf(const LossTerm& term) {
    if (term.kind == TermKind::Number) return term.number;
    if (term.kind == TermKind::Name || term.kind == TermKind::Call) return std::nullopt;
    const std::optional<double> a = numberOf(term.parts.front());
    const std::optional<double> b = numberOf(term.parts.back());
    if (!a || !b) return std::nullopt;
    switch (term.kind) {
        case TermKind::Negate: return -*a;
        case TermKind::Add: return *a + *b;
        case TermKind::Subtract: return *a - *b;
        case TermKind::Multiply: return *a * *b;
        case TermKind::Power: return std::pow(*a, *b);
        default: return *a / *b;
    }
}

const char* operatorOf(TermKind kind) {
    switch (kind) {
        case TermKind::Add: return "Add";
        case TermKind::Subtract: return "Sub";
        case TermKind::Multiply: return "Mul";
        case TermKind::Power: return "Pow";
        default: return "Div";
    }
}

}  // namespace temper
