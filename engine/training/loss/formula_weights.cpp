// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/training/blocks/blocks.h"
#include "engine/training/blocks/loss_reduction.h"
#include "engine/training/loss/formula_builder.h"
#include "engine/training/loss/formula_functions.h"
#include "engine/training/loss/loss_function.h"

/// Weights of samples: `w * mse(y, t)` is the mean of w[i] * mse(y[i], t[i]) over the samples i.
namespace temper {
namespace {

using TermKind = LossTerm::Kind;

}  // namespace

std::string FormulaBuilder::textOf(TextRange range) const {
    return formula_.text.substr(range.begin, range.end - range.begin);
}

/// A new name times a loss, or a loss divided by one.
bool FormulaBuilder::weighsSamples(const LossTerm& term) {
    if (term.kind != TermKind::Multiply && term.kind != TermKind::Divide) return false;
    const Kind left = kindOf(term.parts[0]), right = kindOf(term.parts[1]);
    if (left == Kind::Loss && right == Kind::New) return true;
    return term.kind == TermKind::Multiply && left == Kind::New && right == Kind::Loss;
}

/// Distributes weights over sums down to the calls: w * (a - 2 * b) is w * a - 2 * (w * b).
Value* FormulaBuilder::weigh(const LossTerm& loss, std::vector<SampleWeight> weights) {
    const bool isSum = loss.kind == TermKind::Add || loss.kind == TermKind::Subtract;
    if (loss.kind == TermKind::Negate) {
        Value* x = weigh(loss.parts.front(), std::move(weights));
        if (x == nullptr) return nullptr;
        return located(loss.range, [&] { return blocks::neg(model_, x); });
    }
    if (isSum) {
        Value* a = weigh(loss.parts[0], weights);
        Value* b = weigh(loss.parts[1], std::move(weights));
        return a == nullptr || b == nullptr ? nullptr : combine(loss, a, b);
    }
    if (loss.kind == TermKind::Multiply || loss.kind == TermKind::Divide) {
        return weighProduct(loss, std::move(weights));
    }
    const bool isCall = loss.kind == TermKind::Call;
    const TensorFunction* function = isCall ? findTensorFunction(loss.name) : nullptr;
    if (isCall && loss.name != kSquaresCall && loss.name != kAmountsCall &&
        (function == nullptr || !function->keepsShape)) {
        return weighCall(loss, weights);
    }
    const std::string weight = textOf(weights.front().term->range);
    fail(loss.range,
         "'" + textOf(loss.range) + "' is one number for the whole batch, which '" + weight +
             "', with one weight per sample, can't weight.",
         "Multiply only a loss of samples by the weight: " + weight +
             " * mse(output, target) + 0.01 * l2(parameters), sqrt(" + weight +
             " * mse(output, target)), or, to weight each element, mean(" + weight +
             " * sqrt(mse(output, target, reduction=none))).");
    return nullptr;
}

Value* FormulaBuilder::weighProduct(const LossTerm& loss, std::vector<SampleWeight> weights) {
    const LossTerm& left = loss.parts[0];
    const LossTerm& right = loss.parts[1];
    const Kind leftKind = kindOf(left), rightKind = kindOf(right);
    const bool isProduct = loss.kind == TermKind::Multiply;
    if (rightKind == Kind::New && leftKind == Kind::Loss) {
        weights.push_back({&right, loss.kind});
        return weigh(left, std::move(weights));
    }
    if (isProduct && leftKind == Kind::New && rightKind == Kind::Loss) {
        weights.push_back({&left, loss.kind});
        return weigh(right, std::move(weights));
    }
    if (leftKind == Kind::Number ? isProduct : rightKind == Kind::Number) {
        const bool rightFirst = leftKind == Kind::Number;
        Value* samples = weigh(rightFirst ? right : left, std::move(weights));
        Value* number = build(rightFirst ? left : right);
        if (samples == nullptr || number == nullptr) return nullptr;
        return rightFirst ? combine(loss, number, samples) : combine(loss, samples, number);
    }
    const std::string weight = textOf(weights.front().term->range);
    fail(loss.range,
         "'" + textOf(loss.range) + "' is not a sum of losses, so it is unclear what '" + weight +
             "', with one weight per sample, applies to.",
         "Multiply one of them by the weight: (" + weight + " * " + textOf(left.range) +
             (isProduct ? ") * " : ") / ") + textOf(right.range) + ", or " + textOf(left.range) +
             (isProduct ? " * (" : " / (") + weight + " * " + textOf(right.range) + ").");
    return nullptr;
}

Value* FormulaBuilder::weighCall(const LossTerm& call, const std::vector<SampleWeight>& weights) {
    blocks::Reduction reduction = blocks::Reduction::Mean;
    Value* elements = elementsOf(call, weights, reduction);
    Value* samples = elements == nullptr ? nullptr : samplesOf(call, elements, reduction);
    for (auto weight = weights.rbegin(); weight != weights.rend() && samples != nullptr; ++weight) {
        samples = weighted(samples, *weight);
    }
    if (samples == nullptr) return nullptr;
    const bool isSum = reduction == blocks::Reduction::Sum;
    return located(call.range, [&] {
        return blocks::reduced(model_, samples,
                               isSum ? blocks::Reduction::Sum : blocks::Reduction::Mean);
    });
}

/// The elements that the call reduces, and how it reduces them.
Value* FormulaBuilder::elementsOf(const LossTerm& call, const std::vector<SampleWeight>& weights,
                                  blocks::Reduction& reduction) {
    const LossFunction* loss = findLossFunction(call.name);
    if (loss == nullptr) {
        reduction = call.name == kSumCall ? blocks::Reduction::Sum : blocks::Reduction::Mean;
        if (call.parts.size() == 1 && call.options.empty()) return build(call.parts.front());
        return buildCall(call, nullptr);  // reports the error
    }
    LossArguments arguments;
    if (!takeArguments(arguments, *loss, call)) return nullptr;
    const bool isMeanOfShares =
        loss->readsLabelLists && arguments.reduction == blocks::Reduction::Mean;
    if (loss->readsTokens || isMeanOfShares || meansOverLabels(arguments)) {
        refuseWeights(arguments, call, weights);
        return nullptr;
    }
    reduction = arguments.reduction;
    arguments.reduction = blocks::Reduction::None;
    return located(call.range, [&] { return loss->build(model_, arguments); });
}

/// Reduces all dimensions except the batch.
Value* FormulaBuilder::samplesOf(const LossTerm& call, Value* elements,
                                 blocks::Reduction reduction) {
    const int64_t rank = elements->type().rank();
    if (rank < 1) {
        fail(call.range,
             "The elements of '" + call.name + "' are " + formatType(elements->type()) +
                 "; sample weights need the batch as their first axis.",
             "Choose another output, or multiply the whole loss by a number.");
        return nullptr;
    }
    if (rank == 1) return elements;
    std::vector<int64_t> axes(static_cast<size_t>(rank - 1));
    std::iota(axes.begin(), axes.end(), int64_t{1});
    return located(call.range, [&] {
        return reduction == blocks::Reduction::Mean ? blocks::meanOver(model_, elements, axes)
                                                    : blocks::sumOver(model_, elements, axes);
    });
}

Value* FormulaBuilder::weighted(Value* samples, const SampleWeight& weight) {
    const ValueType type = samples->type();
    Value* factor = build(*weight.term, &type);
    if (factor == nullptr) return nullptr;
    if (factor->type().rank() != 1) {
        fail(weight.term->range,
             "'" + textOf(weight.term->range) + "' is " + formatType(factor->type()) +
                 " where it is used before; expected one weight per sample, " + formatType(type) +
                 ".",
             "Use another name for the sample weights.");
        return nullptr;
    }
    return located(weight.term->range, [&] {
        return weight.kind == TermKind::Divide ? blocks::div(model_, samples, factor)
                                               : blocks::mul(model_, factor, samples);
    });
}

/// If the plain mean has another divisor than the number of samples, the message writes both out.
void FormulaBuilder::refuseWeights(const LossArguments& arguments, const LossTerm& call,
                                   const std::vector<SampleWeight>& weights) {
    const std::string weight = textOf(weights.front().term->range);
    if (arguments.loss->readsTokens) {
        return fail(call.range,
                    "'" + call.name + "' is a mean over the tokens of all sequences, so '" +
                        weight + "' can't weight samples.",
                    "Provide the labels as data and weight each of them: mean(" + weight +
                        " * cross_entropy(output, labels, axis=-1, reduction=none)).");
    }
    if (arguments.loss->readsLabelLists) {
        return fail(call.range,
                    "'" + call.name +
                        "' divides the loss of each sample by its number of labels, "
                        "so that it is not clear what '" +
                        weight + "' weighs.",
                    "Write mean(" + weight + " * " + call.name +
                        "(output, labels, reduction=none)) to weigh the losses of samples.");
    }
    std::string losses = textOf(call.range);
    const size_t close = losses.rfind(')');
    const auto given = std::ranges::find(call.options, "reduction", &LossOption::key);
    if (given != call.options.end()) {
        const TextRange range = given->valueRange;
        losses.replace(range.begin - call.range.begin, range.end - range.begin, "none");
    } else {
        const bool isEmpty = call.parts.empty() && call.options.empty();
        losses.insert(close, isEmpty ? "reduction=none" : ", reduction=none");
    }
    const std::string product = weights.front().kind == TermKind::Divide
                                    ? losses + " / (" + weight + ")"
                                    : weight + " * " + losses;
    fail(call.range,
         "With these options, the mean of '" + call.name +
             "' is over the labels that count or over their weights, so it is unclear what a sum "
             "weighted by '" +
             weight + "' is divided by.",
         "Write mean(" + product + ") to divide by the number of labels, or sum(" + product +
             ") / sum(" + weight + ") to divide by the sum of the weights.");
}

}  // namespace temper
