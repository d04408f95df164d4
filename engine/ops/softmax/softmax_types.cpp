// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/softmax/softmax.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

void checkAxis(InferenceContext& context) {
    const int64_t rank = context.inputType(0).rank();
    if (rank < 0) return;
    const auto [axis, flattens] = softmaxAxis(context.node(), context.opset());
    // The flattened form may begin after the last dimension: rows of one element.
    if (flattens && axis == rank) return;
    requireAxis(context, axis, rank);
}

void inferForward(InferenceContext& context) {
    requireFloating(context, 0);
    checkAxis(context);
    sameAsInput(context);
}

void inferBackward(InferenceContext& context) {
    requireFloating(context, 0);
    requireSameDType(context, 0, 1);
    checkAxis(context);
    context.setOutput(0, context.dtype(0), broadcastInputs(context));
}

}  // namespace

void registerSoftmaxTypes(OpCatalog& catalog) {
    OperatorFacts facts{.family = OperatorFamily::Activation,
                        .keepsClasses = true,
                        .applies = ProbabilityFunction::Softmax};
    catalog.add({"", "LogSoftmax", inferForward, 1, 1}, facts);
    facts.makesProbabilities = true;
    catalog.add({"", "Softmax", inferForward, 1, 1}, facts);
    catalog.add({"", "Hardmax", inferForward, 1, 1});
    for (const char* op :
         {"SoftmaxGrad", "SoftmaxGrad_13", "LogSoftmaxGrad", "LogSoftmaxGrad_13"}) {
        catalog.add({std::string(kMicrosoftDomain), op, inferBackward, 2, 2});
    }
}

}  // namespace temper
