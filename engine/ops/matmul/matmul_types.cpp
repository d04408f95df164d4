// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/core/counted.h"
#include "engine/ir/added_product.h"
#include "engine/ops/matmul/matmul.h"
#include "engine/ops/type_rules.h"

namespace temper {

namespace {

/// Throws if both dimensions are known and differ.
void requireSame(const InferenceContext& context, const Dim& a, const Dim& b) {
    if (!a.isNumber() || !b.isNumber() || a == b) return;
    context.fail("The shapes " + formatShape(*context.shape(0)) + " and " +
                     formatShape(*context.shape(1)) + " can't be multiplied: " +
                     counted(a.value, "column") + " meet " + counted(b.value, "row") + ".",
                 "Check the transpose attributes and the shapes of both operands.");
}

/// An operand as [batch..., rows, columns], the attributes applied.
struct Operand {
    SymbolicShape batch;
    Dim rows;
    Dim columns;
    bool isVector = false;
};

Operand operandOf(SymbolicShape shape, bool isLeft, bool transposed, bool batchTransposed) {
    Operand operand;
    if (shape.size() == 1) {
        const Dim one = Dim::of(1);
        return {{}, isLeft ? one : shape[0], isLeft ? shape[0] : one, true};
    }
    if (batchTransposed) std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
    operand.columns = shape.back();
    operand.rows = shape[shape.size() - 2];
    if (transposed) std::swap(operand.rows, operand.columns);
    operand.batch.assign(shape.begin(), shape.end() - 2);
    return operand;
}

void checkRanks(const InferenceContext& context, const MatMulAttributes& attributes) {
    const int64_t a = context.inputType(0).rank(), b = context.inputType(1).rank();
    if (a == 0 || b == 0) {
        context.fail("An operand is a scalar; expected vectors or matrices.",
                     "Use Mul to scale a tensor.");
    }
    const bool movesBatch = attributes.transBatchA || attributes.transBatchB;
    if (movesBatch && (a != b || a < 3)) {
        context.fail("The operands have the ranks " + std::to_string(a) + " and " +
                         std::to_string(b) +
                         "; transBatchA and transBatchB expect equal ranks of at least 3.",
                     "Remove the attribute or add a batch dimension.");
    }
}

void inferMatMul(InferenceContext& context) {
    const DType dtype = productDType(context);
    if (!context.shape(0) || !context.shape(1)) return context.setOutput(0, dtype, std::nullopt);
    const MatMulAttributes attributes = MatMulAttributes::of(context.node());
    checkRanks(context, attributes);
    const Operand a = operandOf(*context.shape(0), true, attributes.transA, attributes.transBatchA);
    const Operand b =
        operandOf(*context.shape(1), false, attributes.transB, attributes.transBatchB);
    requireSame(context, a.columns, b.rows);
    SymbolicShape shape = *broadcastShapes(std::optional(a.batch), std::optional(b.batch));
    if (!a.isVector) shape.push_back(a.rows);
    if (!b.isVector) shape.push_back(b.columns);
    context.setOutput(0, dtype, std::move(shape));
}

void requireMatrix(const InferenceContext& context, size_t i) {
    const auto& shape = context.shape(i);
    if (!shape || shape->size() == 2) return;
    context.fail("Input " + std::to_string(i) + " has the shape " + formatShape(*shape) +
                     "; expected a matrix.",
                 "Flatten it to two dimensions first.");
}

void inferGemm(InferenceContext& context) {
    const GemmAttributes attributes = GemmAttributes::of(context.node());
    requireMatrix(context, 0);
    requireMatrix(context, 1);
    SymbolicShape shape = {Dim::unknown(), Dim::unknown()};
    Dim depthA, depthB;
    if (context.shape(0)) {
        shape[0] = (*context.shape(0))[attributes.transA ? 1 : 0];
        depthA = (*context.shape(0))[attributes.transA ? 0 : 1];
    }
    if (context.shape(1)) {
        shape[1] = (*context.shape(1))[attributes.transB ? 0 : 1];
        depthB = (*context.shape(1))[attributes.transB ? 1 : 0];
    }
    requireSame(context, depthA, depthB);
    if (context.hasInput(2) && context.shape(2)) {
        const auto result = broadcastShapes(std::optional(shape), context.shape(2));
        const auto before = concreteShape(shape), after = concreteShape(*result);
        if (result->size() > 2 || (before && after && *before != *after)) {
            context.fail("Input C has the shape " + formatShape(*context.shape(2)) +
                         "; expected one that broadcasts to " + formatShape(shape) + ".");
        }
    }
    context.setOutput(0, productDType(context), std::move(shape));
}

/// Weight: [inputs, units].
std::optional<UnitLayout> unitsOfMatMul(const Node& node) {
    const Value* weight = node.input(1);
    const bool isMatrix = weight != nullptr && weight->type().rank() == 2;
    return isMatrix ? std::optional(UnitLayout{1, 1}) : std::nullopt;
}

/// Weight: [inputs, units], or [units, inputs] with transB.
std::optional<UnitLayout> unitsOfGemm(const Node& node) {
    const Value* weight = node.input(1);
    if (weight == nullptr || (weight->type().rank() >= 0 && weight->type().rank() != 2))
        return std::nullopt;
    return UnitLayout{node.attribute<int64_t>("transB", 0) != 0 ? size_t{0} : size_t{1}, 1};
}

}  // namespace

void addMatmulTypes(OpCatalog& catalog) {
    constexpr auto kFamily = OperatorFamily::Product;
    const std::string ms(kMicrosoftDomain);
    const std::set<size_t> factors = {0, 1};
    catalog.add({"", "MatMul", inferMatMul, 2, 2}, {.family = kFamily,
                                                    .weightInputs = {0, 1},
                                                    .unitLayout = unitsOfMatMul,
                                                    .factors = factors});
    catalog.add(
        {"", "Gemm", inferGemm, 2, 3},
        {.family = kFamily, .weightInputs = {1, 2}, .unitLayout = unitsOfGemm, .factors = factors});
    catalog.add({ms, "FusedMatMul", inferMatMul, 2, 2},
                {.family = kFamily, .weightInputs = {1}, .factors = factors});
    catalog.add({ms, "TransposeMatMul", inferMatMul, 2, 2},
                {.family = kFamily, .factors = factors});
    catalog.add(
        {std::string(added_product::kDomain), std::string(added_product::kName), inferMatMul, 3, 3},
        {.family = kFamily, .factors = factors});
}

}  // namespace temper
