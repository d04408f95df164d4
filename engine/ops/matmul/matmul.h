// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/op_set.h"

namespace temper {

/// MatMul, Gemm, com.microsoft FusedMatMul and its old name TransposeMatMul, and AddedProduct of
/// plans.
void registerMatmul(OpSet& ops);

void addMatmulTypes(OpCatalog& catalog);
void addMatmulGradients(GradientRules& gradients);
void addMatmulCpuKernels(KernelRegistry& kernels);

/// Attributes of MatMul (none) and FusedMatMul.
/// Y = alpha * op(A) * op(B), with broadcasting of the leading dimensions.
struct MatMulAttributes {
    float alpha = 1;
    bool transA = false;  ///< the last two dimensions of A are swapped
    bool transB = false;
    bool transBatchA = false;  ///< A is stored [M, batch..., K]
    bool transBatchB = false;

    static MatMulAttributes of(const Node& node);
};

/// Attributes of Gemm: Y = alpha * op(A) * op(B) + beta * C.
struct GemmAttributes {
    float alpha = 1;
    float beta = 1;
    bool transA = false;
    bool transB = false;

    static GemmAttributes of(const Node& node);
};

}  // namespace temper
