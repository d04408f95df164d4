// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// Softmax, LogSoftmax, Hardmax and ORT's backward operators of the first two.
void registerSoftmax(OpSet& ops);

void registerSoftmaxTypes(OpCatalog& catalog);
void registerSoftmaxGradients(GradientRules& rules);
void registerSoftmaxKernels(KernelRegistry& kernels);

/// What a node of the family normalizes over.
struct SoftmaxAxis {
    int64_t axis = -1;
    /// All dimensions from `axis` on as one (ONNX before opset 13), not only the axis.
    bool flattens = false;
};

/// From the node's attribute, and from its operator or its opset.
SoftmaxAxis softmaxAxis(const Node& node, int64_t opset);

}  // namespace temper
