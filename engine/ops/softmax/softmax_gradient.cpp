// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/softmax/softmax.h"

namespace temper {
namespace {

/// One of ORT's backward operators on (dY, Y): `op` for rows of flattened dimensions, `op`_13 for
/// a single axis.
GradientRule softmaxRule(const std::string& op) {
    return [op](const GradientContext& node) {
        const auto [axis, flattens] = softmaxAxis(node.node(), node.opset());
        return Gradients{node.emitter().msOp(flattens ? op : op + "_13",
                                             {node.outputGradient(0), node.output(0)},
                                             {{"axis", axis}})};
    };
}

}  // namespace

void registerSoftmaxGradients(GradientRules& rules) {
    rules.add("", "Softmax", softmaxRule("SoftmaxGrad"));
    rules.add("", "LogSoftmax", softmaxRule("LogSoftmaxGrad"));
    rules.addNonDifferentiable(
        "Hardmax", {"its derivative is zero everywhere", "Use Softmax if gradients are needed."});
    rules.addStraightThrough("Hardmax");
}

}  // namespace temper
