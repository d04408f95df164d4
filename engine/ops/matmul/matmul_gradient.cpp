// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/matmul/matmul.h"

namespace temper {
namespace {

int64_t rankOf(Var x) { return x.rank(); }

/// alpha * op(a) * op(b) of matrices, with batch dimensions if there are any.
Var product(Var a, Var b, bool transA, bool transB, float alpha = 1) {
    GradientEmitter& emitter = a.emitter();
    Attributes attributes = {
        {"alpha", alpha}, {"transA", int64_t{transA}}, {"transB", int64_t{transB}}};
    const bool areMatrices = rankOf(a) == 2 && rankOf(b) == 2;
    // Before opset 11 Gemm needs its third input.
    if (!areMatrices || emitter.opset() < 11)
        return emitter.msOp("FusedMatMul", {a, b}, attributes);
    attributes.emplace("beta", 0.0F);
    return emitter.op("Gemm", {a, b}, attributes);
}

/// x as a matrix whose columns are the last dimension of `like`: [rows, columns].
Var flattenRows(Var x, Var like, int64_t likeAxis) {
    GradientEmitter& emitter = x.emitter();
    const Dim& columns = like.shape()[static_cast<size_t>(likeAxis)];
    if (columns.isNumber()) return reshape(x, emitter.integers({-1, columns.value}));
    const Var size = emitter.op("Gather", {shapeOf(like), emitter.integers({likeAxis})});
    return reshape(x, concat({emitter.integers({-1}), size}, 0));
}

/// dB of Y[..., M, N] = A[..., M, K] * B[K, N], summed over the batch by one product.
Var sharedMatrixGradient(Var a, Var b, Var dy) {
    return product(flattenRows(a, b, 0), flattenRows(dy, b, 1), true, false);
}

void requireRanks(const GradientContext& context) {
    if (context.input(0).type().shape && context.input(1).type().shape) return;
    throw Error(ErrorCode::Unsupported,
                "The gradient of " + context.node().describe() +
                    " needs the ranks of its operands, which are unknown.",
                "Export the model with shapes.");
}

/// Y = A B  =>  dA = dY Bᵀ, dB = Aᵀ dY; vectors become matrices with one row or column.
Gradients matMulGradient(const GradientContext& context) {
    requireRanks(context);
    Var a = context.input(0), b = context.input(1), dy = context.outputGradient(0);
    const bool aIsVector = rankOf(a) == 1, bIsVector = rankOf(b) == 1;
    if (bIsVector) {
        b = unsqueeze(b, {1});
        dy = unsqueeze(dy, {context.output(0).rank()});
    }
    if (aIsVector) {
        a = unsqueeze(a, {0});
        dy = unsqueeze(dy, {bIsVector ? 0 : context.output(0).rank() - 1});
    }
    Gradients gradients(2);
    if (context.needs(0)) gradients[0] = product(dy, b, false, true);
    if (context.needs(1)) {
        const bool shared = rankOf(b) == 2 && rankOf(a) > 2;
        Var db = shared ? sharedMatrixGradient(a, b, dy) : product(a, dy, true, false);
        gradients[1] = bIsVector ? squeeze(db, {rankOf(db) - 1}) : db;
    }
    return gradients;
}

/// Y = alpha op(A) op(B). The factors of each product follow from which operands are stored
/// transposed.
Gradients transposedProductGradient(const GradientContext& context, bool transA, bool transB,
                                    float alpha) {
    const Var a = context.input(0), b = context.input(1), dy = context.outputGradient(0);
    Gradients gradients(2);
    if (context.needs(0)) {
        gradients[0] =
            transA ? product(b, dy, transB, true, alpha) : product(dy, b, false, !transB, alpha);
    }
    if (context.needs(1)) {
        gradients[1] =
            transB ? product(dy, a, true, transA, alpha) : product(a, dy, !transA, false, alpha);
    }
    return gradients;
}

Gradients fusedMatMulGradient(const GradientContext& context) {
    requireRanks(context);
    const MatMulAttributes attributes = MatMulAttributes::of(context.node());
    return transposedProductGradient(context, attributes.transA, attributes.transB,
                                     attributes.alpha);
}

std::optional<NonDifferentiable> fusedMatMulCheck(const Node& node) {
    const MatMulAttributes attributes = MatMulAttributes::of(node);
    const bool hasVector = node.input(0)->type().rank() == 1 || node.input(1)->type().rank() == 1;
    if (!attributes.transBatchA && !attributes.transBatchB && !hasVector) return std::nullopt;
    return NonDifferentiable{
        "FusedMatMul has no gradient rule for vectors, transBatchA and "
        "transBatchB",
        "Export the model without the fusion."};
}

/// Y = alpha op(A) op(B) + beta C  =>  dC = beta dY.
Gradients gemmGradient(const GradientContext& context) {
    const GemmAttributes attributes = GemmAttributes::of(context.node());
    Gradients gradients =
        transposedProductGradient(context, attributes.transA, attributes.transB, attributes.alpha);
    const Var dy = context.outputGradient(0);
    gradients.push_back({});
    if (context.needs(2)) gradients[2] = attributes.beta == 1.0F ? dy : dy * attributes.beta;
    return gradients;
}

}  // namespace

void addMatmulGradients(GradientRules& gradients) {
    gradients.add(kOnnxDomain, "MatMul", matMulGradient);
    gradients.add(kOnnxDomain, "Gemm", gemmGradient);
    for (const char* name : {"FusedMatMul", "TransposeMatMul"}) {
        gradients.add(kMicrosoftDomain, name, fusedMatMulGradient);
        gradients.addCheck(kMicrosoftDomain, name, fusedMatMulCheck);
    }
}

}  // namespace temper
