// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "engine/ops/linear_algebra/linear_algebra.h"

namespace temper {
namespace {

/// The last two of `rank` dimensions swapped.
Var transposed(Var x, int64_t rank) {
    std::vector<int64_t> order(static_cast<size_t>(rank));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return transpose(x, order);
}

int64_t rankOf(const GradientContext& node) {
    const int64_t rank = node.input(0).type().rank();
    if (rank >= 0) return rank;
    throw Error(ErrorCode::Unsupported, "The rank of input 0 is unknown; the gradient needs it.",
                "Export the model with shapes.");
}

/// The elements of each matrix in another order, row after row.
Var pick(Var rows, const std::vector<int64_t>& elements, int64_t axis) {
    return rows.emitter().op("Gather", {rows, rows.emitter().integers(elements)}, {{"axis", axis}});
}

/// The cofactors of 2 x 2 matrices [a b; c d]: [d -c; -b a]
Var cofactors2(Var rows, int64_t axis) {
    const Tensor signs = Tensor::of<double>({4}, {1, -1, -1, 1});
    return pick(rows, {3, 2, 1, 0}, axis) *
           rows.emitter().constant(signs.cast(rows.dtype()), "signs");
}

/// The cofactors of 3 x 3 matrices: each row is the cross product of the other two.
/// c[i, j] = x[i+1, j+1] x[i+2, j+2] - x[i+1, j+2] x[i+2, j+1], indices modulo 3
Var cofactors3(Var rows, int64_t axis) {
    std::vector<std::vector<int64_t>> elements(4);
    for (int64_t i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < 3; ++j) {
            const auto at = [&](int64_t row, int64_t column) {
                return (i + row) % 3 * 3 + (j + column) % 3;
            };
            elements[0].push_back(at(1, 1));
            elements[1].push_back(at(2, 2));
            elements[2].push_back(at(1, 2));
            elements[3].push_back(at(2, 1));
        }
    }
    const auto factor = [&](size_t i) { return pick(rows, elements[i], axis); };
    return factor(0) * factor(1) - factor(2) * factor(3);
}

/// Matrices of cofactors, also of singular matrices, if they are small.
Var smallCofactors(Var x, int64_t rank, int64_t size) {
    GradientEmitter& emitter = x.emitter();
    std::vector<int64_t> flat(static_cast<size_t>(rank - 2), 0);
    flat.push_back(size * size);
    const Var rows = reshape(x, emitter.integers(flat));
    const Var found = size == 2 ? cofactors2(rows, rank - 2) : cofactors3(rows, rank - 2);
    return reshapeLike(found, x);
}

/// y = det(X)  =>  dX = dy cof(X), which is dy y X^-T if X has an inverse
Gradients detGradient(const GradientContext& node) {
    const int64_t rank = rankOf(node);
    const Var x = node.input(0);
    const Var dy = unsqueeze(node.outputGradient(0), {rank - 2, rank - 1});
    const Dim& size = x.shape().back();
    if (size.isNumber() && size.value == 1) return {dy};
    if (size.isNumber() && size.value <= 3 && size.value > 0) {
        return {dy * smallCofactors(x, rank, size.value)};
    }
    const Var y = unsqueeze(node.output(0), {rank - 2, rank - 1});
    return {dy * y * transposed(node.emitter().msOp("Inverse", {x}), rank)};
}

/// Y = X^-1  =>  dX = -Y^T dY Y^T
Gradients inverseGradient(const GradientContext& node) {
    const Var y = transposed(node.output(0), rankOf(node));
    return {-matMul(matMul(y, node.outputGradient(0)), y)};
}

}  // namespace

void addLinearAlgebraGradients(GradientRules& gradients) {
    gradients.add("", "Det", detGradient);
    gradients.add(kMicrosoftDomain, "Inverse", inverseGradient);
}

}  // namespace temper
