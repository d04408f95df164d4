// SPDX-License-Identifier: Apache-2.0
#include "engine/training/loss/weighted_losses.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/training/loss/loss_function.h"

namespace temper {
namespace {

using TermKind = LossTerm::Kind;
using Terms = std::vector<WeightedLoss>;

bool isNameOf(const LossTerm& term) { return term.kind == TermKind::Name; }

bool isPlainCall(const LossTerm& term) {
    const LossFunction* function = findLossFunction(term.name);
    return term.kind == TermKind::Call && function != nullptr && function->predictions == 1 &&
           term.options.empty() && !term.parts.empty() && term.parts.size() <= 2 &&
           std::ranges::all_of(term.parts, isNameOf);
}

std::optional<double> weightOf(const LossTerm& term) {
    if (term.kind == TermKind::Number) return term.number;
    if (term.kind != TermKind::Negate) return std::nullopt;
    const std::optional<double> number = weightOf(term.parts[0]);
    return number ? std::optional(-*number) : std::nullopt;
}

/// A number before or after a call, only a call, or a call with a minus before it.
std::optional<WeightedLoss> asTerm(const LossTerm& term) {
    if (isPlainCall(term)) {
        return WeightedLoss{1, term.name, term.parts[0].name,
                            term.parts.size() > 1 ? term.parts[1].name : std::string()};
    }
    const LossTerm* call = nullptr;
    double factor = -1;
    if (term.kind == TermKind::Negate) {
        call = &term.parts[0];
    } else if (term.kind == TermKind::Multiply) {
        const size_t at = weightOf(term.parts[0]) ? 0 : 1;
        const std::optional<double> number = weightOf(term.parts[at]);
        if (!number) return std::nullopt;
        factor = *number;
        call = &term.parts[1 - at];
    }
    if (call == nullptr) return std::nullopt;
    std::optional<WeightedLoss> found = asTerm(*call);
    if (found) found->weight *= factor;
    return found;
}

bool addTerms(const LossTerm& term, double sign, Terms& terms) {
    if (term.kind == TermKind::Add || term.kind == TermKind::Subtract) {
        const double second = term.kind == TermKind::Add ? sign : -sign;
        return addTerms(term.parts[0], sign, terms) && addTerms(term.parts[1], second, terms);
    }
    const std::optional<WeightedLoss> found = asTerm(term);
    if (!found) return false;
    terms.push_back(*found);
    terms.back().weight *= sign;
    return true;
}

std::string numberText(double number) {
    std::array<char, 32> buffer{};
    const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
    return failure == std::errc() ? std::string(buffer.data(), end) : std::string("0");
}

/// See parseLoss().
std::string nameText(const std::string& name) {
    const auto isPart = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
    const bool isPlain = !name.empty() && std::ranges::all_of(name, isPart) &&
                         (std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_');
    if (isPlain) return name;
    const char quote = name.find('"') == std::string::npos ? '"' : '\'';
    return quote + name + quote;
}

std::string termText(const WeightedLoss& term, bool isFirst) {
    std::string text = isFirst ? "" : std::signbit(term.weight) ? " - " : " + ";
    const double weight = isFirst ? term.weight : std::abs(term.weight);
    if (weight != 1) text += numberText(weight) + "*";
    text += term.loss + "(" + nameText(term.output);
    if (!term.target.empty()) text += ", " + nameText(term.target);
    return text + ")";
}

}  // namespace

std::optional<std::vector<WeightedLoss>> asWeightedLosses(const LossFormula& formula) {
    Terms terms;
    if (!addTerms(formula.root, 1, terms)) return std::nullopt;
    return terms;
}

std::string formulaOf(std::span<const WeightedLoss> terms) {
    std::string text;
    for (const WeightedLoss& term : terms) text += termText(term, &term == terms.data());
    return text;
}

}  // namespace temper
