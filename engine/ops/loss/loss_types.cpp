// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/kept_scores.h"
#include "engine/ops/loss/loss.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// Labels are the scores without the class dimension: [N, C, D...] and [N, D...].
void checkLabels(InferenceContext& context, size_t scores, size_t labels) {
    requireDType(context, labels, isIndex, "int32 or int64");
    const auto& x = context.shape(scores);
    const auto& t = context.shape(labels);
    if (!x || !t) return;
    if (x->size() < 2) {
        context.fail("The scores have the shape " + formatShape(*x) +
                     "; expected [batch, classes, ...].");
    }
    if (t->size() + 1 != x->size()) {
        context.fail("The labels have the shape " + formatShape(*t) + " and the scores " +
                         formatShape(*x) + "; expected the scores' shape without the classes.",
                     "Feed class numbers, not one-hot vectors.");
    }
    for (size_t i = 0; i < t->size(); ++i) {
        mergeDims(context, (*x)[i == 0 ? 0 : i + 1], (*t)[i],
                  "Dimensions " + std::to_string(i) + " of scores and labels");
    }
}

void checkWeights(InferenceContext& context, size_t scores, size_t weights) {
    requireSameDType(context, scores, weights);
    requireRank(context, weights, 1);
    if (!context.hasInput(weights) || !context.shape(weights) || !context.shape(scores)) return;
    if (context.shape(scores)->size() < 2) {
        context.fail("The scores have the shape " + formatShape(*context.shape(scores)) +
                     "; expected [batch, classes, ...].");
    }
    mergeDims(context, (*context.shape(scores))[1], context.shape(weights)->front(),
              "The number of classes and of weights");
}

void inferLoss(InferenceContext& context) {
    requireFloating(context, 0);
    checkLabels(context, 0, 1);
    checkWeights(context, 0, 2);
    const bool perLabel = lossReduction(context.node()) == LossReduction::None;
    context.setOutput(0, context.dtype(0), perLabel ? context.shape(1) : SymbolicShape{});
    if (context.node().output(1) != nullptr) sameAsInput(context, 0, 1);
}

void inferCrossEntropy(InferenceContext& context) {
    inferLoss(context);
    if (context.node().output(1) == nullptr || !context.shape(1)) return;
    SymbolicShape statistics = *context.shape(1);
    statistics.insert(statistics.begin(), Dim::of(2));
    context.setOutput(1, context.dtype(0), statistics);
}

/// dY, log_prob, labels, weights?, ...
void inferLossGrad(InferenceContext& context) {
    requireFloating(context, 1);
    checkLabels(context, 1, 2);
    checkWeights(context, 1, 3);
    lossReduction(context.node());
    sameAsInput(context, 1);
}

}  // namespace

void registerLossTypes(OpCatalog& catalog) {
    const OperatorFacts ofScores{.applies = ProbabilityFunction::Softmax};
    catalog.add({"", "SoftmaxCrossEntropyLoss", inferLoss, 2, 3, {1, 2}}, ofScores);
    catalog.add({"", "NegativeLogLikelihoodLoss", inferLoss, 2, 3, {1, 2}});
    const std::string ms(kMicrosoftDomain);
    catalog.add({ms, "SoftmaxCrossEntropyLossInternal", inferLoss, 2, 4, {1, 2, 3}}, ofScores);
    for (const char* op :
         {"NegativeLogLikelihoodLossInternal", "NegativeLogLikelihoodLossInternal2"}) {
        catalog.add({ms, op, inferLoss, 2, 4, {1, 2, 3}});
    }
    const std::string own(kept_scores::kDomain);
    catalog.add({own, std::string(kept_scores::kForward), inferCrossEntropy, 2, 4, {1, 2, 3}});
    catalog.add({own, std::string(kept_scores::kBackward), inferLossGrad, 7, 7, {2, 3, 4}});
    catalog.add({ms, "SoftmaxCrossEntropyLossGrad", inferLossGrad, 3, 4, {2, 3}});
    catalog.add({ms, "SoftmaxCrossEntropyLossInternalGrad", inferLossGrad, 3, 6, {2, 3, 4}});
}

}  // namespace temper
