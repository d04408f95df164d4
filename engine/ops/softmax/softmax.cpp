// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/softmax/softmax.h"

namespace temper {
namespace {

bool flattensRows(const Node& node, int64_t opset) {
    if (node.domain() == kMicrosoftDomain) return !node.opType().ends_with("_13");
    return opset < 13;
}

}  // namespace

SoftmaxAxis softmaxAxis(const Node& node, int64_t opset) {
    const bool flattens = flattensRows(node, opset);
    return {node.attribute<int64_t>("axis", flattens ? 1 : -1), flattens};
}

void registerSoftmax(OpSet& ops) {
    registerSoftmaxTypes(ops.catalog);
    registerSoftmaxGradients(ops.gradients);
    registerSoftmaxKernels(ops.cpuKernels);
}

}  // namespace temper
