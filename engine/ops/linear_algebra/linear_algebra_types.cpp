// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/linear_algebra/linear_algebra.h"
#include "engine/ops/type_rules.h"

namespace temper {
namespace {

/// Floating-point numbers; the last two dimensions are equal.
void requireSquareMatrices(const InferenceContext& context) {
    requireFloating(context, 0);
    const auto& shape = context.shape(0);
    if (!shape) return;
    const size_t rank = shape->size();
    if (rank < 2) {
        context.fail("Input 0 has rank " + std::to_string(rank) +
                     "; expected square matrices, of rank 2 or more.");
    }
    mergeDims(context, (*shape)[rank - 2], (*shape)[rank - 1], "rows and columns of a matrix");
}

void inferDet(InferenceContext& context) {
    requireSquareMatrices(context);
    std::optional<SymbolicShape> shape = context.shape(0);
    if (shape) shape->resize(shape->size() - 2);
    context.setOutput(0, context.dtype(0), std::move(shape));
}

void inferInverse(InferenceContext& context) {
    requireSquareMatrices(context);
    sameAsInput(context);
}

}  // namespace

void addLinearAlgebraTypes(OpCatalog& catalog) {
    catalog.add({"", "Det", inferDet, 1, 1, {}});
    catalog.add({std::string(kMicrosoftDomain), "Inverse", inferInverse, 1, 1, {}});
}

}  // namespace temper
