// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "engine/ops/lowered_op.h"
#include "engine/ops/ort_training/ort_training.h"

namespace temper {
namespace {

bool isMean(const LoweringContext& node) {
    const auto reduction = node.attribute<std::string>("reduction", "mean");
    if (reduction == "mean" || reduction == "sum") return reduction == "mean";
    node.refuse("The reduction is '" + reduction + "'; expected 'mean' or 'sum'.",
                "Use SoftmaxCrossEntropyLoss, which supports a loss per label.");
}

/// x / count for an integer count.
Var dividedBy(Var x, Var count) {
    return x.emitter().msOp("Scale", {x, count}, {{"scale_down", int64_t{1}}});
}

Var logSoftmaxOfRows(Var x) {
    return x.emitter().op("LogSoftmax", {x}, {{"axis", x.type().rank() - 1}});
}

/// Rows of numbers, all dimensions but the last, as int64.
Var rowCount(Var x) {
    const Var columns = sizeAlong(x, x.type().rank() - 1);
    return sizeOf(x) / columns;
}

/// -sum(labels log p), divided by the number of rows for the mean
std::vector<Var> lowerOneHotLoss(const LoweringContext& node) {
    node.rank(0);
    const Var logProbabilities = logSoftmaxOfRows(node.input(0));
    const Var total = -sum(node.input(1) * logProbabilities, {}, false);
    return {isMean(node) ? dividedBy(total, rowCount(node.input(0))) : total, logProbabilities};
}

/// (p - labels) dy, divided as the loss is
std::vector<Var> lowerOneHotLossGrad(const LoweringContext& node) {
    node.rank(1);
    const Var difference = (exp(node.input(1)) - node.input(2)) * node.input(0);
    return {isMean(node) ? dividedBy(difference, rowCount(node.input(1))) : difference};
}

/// 1 in the column of the label.
Var oneHot(Var labels, Var like) {
    GradientEmitter& emitter = like.emitter();
    const Var wide = labels.dtype() == DType::Int64 ? labels : cast(labels, DType::Int64);
    const Var values =
        emitter.constant(Tensor::of<float>({2}, {0, 1}).cast(like.dtype()), "off_and_on");
    const Var classes = squeeze(sizeAlong(like, like.type().rank() - 1), {0});
    return emitter.op("OneHot", {wide, classes, values}, {{"axis", int64_t{-1}}});
}

/// The weights of the labels, with a dimension of 1 for the classes; empty if there are none.
Var weightColumn(const LoweringContext& node, size_t input, Var like) {
    if (!node.hasInput(input)) return {};
    return unsqueeze(node.input(input), {like.type().rank() - 1});
}

Var meanOverLabels(const LoweringContext& node, Var x, size_t labels, size_t weights) {
    if (!isMean(node)) return x;
    if (node.hasInput(weights)) return x / sum(node.input(weights), {}, false);
    return dividedBy(x, sizeOf(node.input(labels)));
}

/// -sum(w log p[label]), divided by the sum of the weights for the mean
std::vector<Var> lowerSparseLoss(const LoweringContext& node) {
    node.rank(0);
    const Var logProbabilities = logSoftmaxOfRows(node.input(0));
    Var terms = oneHot(node.input(1), node.input(0)) * logProbabilities;
    if (const Var weights = weightColumn(node, 2, node.input(0))) terms = terms * weights;
    return {meanOverLabels(node, -sum(terms, {}, false), 1, 2), logProbabilities};
}

/// (p - onehot) w dy, divided as the loss is
std::vector<Var> lowerSparseLossGrad(const LoweringContext& node) {
    node.rank(1);
    const Var logProbabilities = node.input(1);
    Var difference = exp(logProbabilities) - oneHot(node.input(2), logProbabilities);
    if (const Var weights = weightColumn(node, 3, logProbabilities)) {
        difference = difference * weights;
    }
    return {meanOverLabels(node, difference * node.input(0), 2, 3)};
}

}  // namespace

void registerOlderLosses(OpSet& ops) {
    const std::string ms(kMicrosoftDomain);
    addLowered(ops, {ms, "SoftmaxCrossEntropy", inferOneHotLoss, 2, 2, {1}}, lowerOneHotLoss);
    addLowered(ops, {ms, "SoftmaxCrossEntropyGrad", inferOlderLossGrad, 3, 3, {0, 1, 2}},
               lowerOneHotLossGrad);
    addLowered(ops, {"", "SparseSoftmaxCrossEntropy", inferSparseLoss, 2, 3, {1, 2}},
               lowerSparseLoss);
    addLowered(ops, {"", "SparseSoftmaxCrossEntropyGrad", inferOlderLossGrad, 3, 4, {0, 1, 2, 3}},
               lowerSparseLossGrad);
}

}  // namespace temper
