// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/matmul/matmul.h"

namespace temper {

MatMulAttributes MatMulAttributes::of(const Node& node) {
    const auto flag = [&](const char* name) { return node.attribute<int64_t>(name, 0) != 0; };
    return {node.attribute<float>("alpha", 1.0F), flag("transA"), flag("transB"),
            flag("transBatchA"), flag("transBatchB")};
}

GemmAttributes GemmAttributes::of(const Node& node) {
    return {node.attribute<float>("alpha", 1.0F), node.attribute<float>("beta", 1.0F),
            node.attribute<int64_t>("transA", 0) != 0, node.attribute<int64_t>("transB", 0) != 0};
}

void registerMatmul(OpSet& ops) {
    addMatmulTypes(ops.catalog);
    addMatmulGradients(ops.gradients);
    addMatmulCpuKernels(ops.cpuKernels);
}

}  // namespace temper
