// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/random/random.h"

namespace temper {
namespace {

/// Whether a Dropout passes its input on: without training_mode, or with a constant false.
bool isIdentity(const Node& node) {
    const Value* mode = node.input(2);
    if (mode == nullptr) return true;
    const Tensor& known = mode->constant();
    return !known.empty() && known.numElements() == 1 && !known.values<bool>().front();
}

Gradients dropoutGradient(const GradientContext& node) {
    const Var dy = node.outputGradient(0);
    if (isIdentity(node.node())) return {dy};
    const Var ratio = node.hasInput(1) ? node.input(1) : Var();
    return {node.emitter().msOp("DropoutGrad", {dy, node.output(1), ratio, node.input(2)})};
}

/// The backward operator reads the mask.
void addDropoutMask(Graph& graph, Node* node) {
    if (isIdentity(*node) || node->output(1) != nullptr) return;
    graph.addOutputTo(node, 1, graph.uniqueName(node->output(0)->name() + "_mask"));
}

}  // namespace

void registerRandomGradients(GradientRules& rules) {
    rules.add("", "Dropout", dropoutGradient);
    rules.addTrainingForm("", "Dropout", addDropoutMask);
    rules.addNonDifferentiable("Bernoulli", {"it draws random numbers, which have no derivative",
                                             "Use Dropout if gradients are needed."});
    rules.addStraightThrough("Bernoulli");
}

}  // namespace temper
