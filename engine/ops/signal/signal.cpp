// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/signal/signal.h"

namespace temper {

void registerSignal(OpSet& ops) {
    addSignalTypes(ops.catalog);
    addSignalGradients(ops.gradients);
    addFourierKernels(ops.cpuKernels);
    addWindowKernels(ops.cpuKernels);
}

DftAttributes DftAttributes::of(const Node& node, int64_t opset) {
    DftAttributes attributes;
    if (opset < 20) attributes.axis = node.attribute<int64_t>("axis", 1);
    attributes.inverse = node.attribute<int64_t>("inverse", 0) != 0;
    attributes.onesided = node.attribute<int64_t>("onesided", 0) != 0;
    return attributes;
}

}  // namespace temper
