// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/ir/added_product.h"
#include "engine/ops/matmul/matmul.h"
#include "engine/ops/narrow_product_cpu.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/constant_layouts.h"
#include "engine/runtime/cpu/gemm.h"
#include "engine/runtime/cpu/panel_product.h"
#include "engine/runtime/kernels/reorderable_kernel.h"
#include "engine/runtime/kernels/task_kernel.h"

namespace temper {
namespace {

/// Small products are gathered into tasks of about this size.
constexpr int64_t kFlopsPerTask = 1 << 20;

/// The layout of one operand's matrices: [batch..., rows, columns] with strides in elements.
struct OperandLayout {
    Shape batch;
    Shape batchStrides;
    int64_t rows = 1;
    int64_t columns = 1;
    int64_t rowStride = 0;
    int64_t columnStride = 1;

    /// Of op(A): with rows and columns swapped.
    OperandLayout transposed() const {
        return {batch, batchStrides, columns, rows, columnStride, rowStride};
    }
    bool isByRows() const { return columns == 1 || columnStride == 1; }
    bool isByColumns() const { return rows == 1 || rowStride == 1; }
    /// The stride between its rows if it is stored by rows, else between its columns.
    int64_t leadingStride() const {
        if (isByRows()) return rows == 1 ? std::max<int64_t>(columns, 1) : rowStride;
        return columnStride;
    }
};

/// `strides`: of the tensor, by its axes; empty if it is dense.
OperandLayout layoutOf(const Shape& shape, const Shape& given, bool isLeft, bool batchTransposed) {
    Shape dims = shape, strides = given.empty() ? stridesOf(shape) : given;
    if (shape.size() == 1) {
        if (isLeft) return {{}, {}, 1, dims[0], dims[0], strides[0]};
        return {{}, {}, dims[0], 1, strides[0], 1};
    }
    if (batchTransposed) {
        std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
        std::rotate(strides.begin(), strides.begin() + 1, strides.end() - 1);
    }
    const size_t rows = dims.size() - 2;
    return {{dims.begin(), dims.end() - 2},
            {strides.begin(), strides.end() - 2},
            dims[rows],
            dims[rows + 1],
            strides[rows],
            strides[rows + 1]};
}

/// Start of each of the operand's matrices, in the order of the broadcast batch.
std::vector<int64_t> batchOffsets(const OperandLayout& operand, const Shape& batch) {
    std::vector<int64_t> offsets = {0};
    const size_t missing = batch.size() - operand.batch.size();
    for (size_t axis = 0; axis < batch.size(); ++axis) {
        const bool repeated = axis < missing || operand.batch[axis - missing] == 1;
        const int64_t stride = repeated ? 0 : operand.batchStrides[axis - missing];
        std::vector<int64_t> next;
        for (const int64_t offset : offsets) {
            for (int64_t i = 0; i < batch[axis]; ++i) next.push_back(offset + i * stride);
        }
        offsets = std::move(next);
    }
    return offsets;
}

/// Whether the matrices are `size` elements apart.
bool areConsecutive(const std::vector<int64_t>& offsets, int64_t size) {
    for (size_t i = 0; i < offsets.size(); ++i) {
        if (offsets[i] != static_cast<int64_t>(i) * size) return false;
    }
    return true;
}

bool areEqual(const std::vector<int64_t>& offsets) {
    return std::all_of(offsets.begin(), offsets.end(), [](int64_t offset) { return offset == 0; });
}

/// A batch of products of one size.
struct BatchedProduct {
    MatrixProduct product;
    std::vector<int64_t> offsetsA;
    std::vector<int64_t> offsetsB;
    std::vector<int64_t> offsetsC;
    bool isSwapped = false;  ///< computes the transposed product, B by A

    /// C = A B; if C is stored by columns, transposed(C) = transposed(B) transposed(A).
    /// Returns: nothing if rows and columns of an operand both have gaps.
    static std::optional<BatchedProduct> of(const OperandLayout& a, const OperandLayout& b,
                                            const OperandLayout& c, const Shape& batch) {
        if (!c.isByRows()) {
            if (!c.isByColumns()) return std::nullopt;
            auto swapped = of(b.transposed(), a.transposed(), c.transposed(), batch);
            if (swapped) swapped->isSwapped = true;
            return swapped;
        }
        if (!(a.isByRows() || a.isByColumns()) || !(b.isByRows() || b.isByColumns()))
            return std::nullopt;
        BatchedProduct result{{.m = c.rows,
                               .n = c.columns,
                               .k = a.columns,
                               .transA = !a.isByRows(),
                               .transB = !b.isByRows(),
                               .rowStrideA = a.leadingStride(),
                               .rowStrideB = b.leadingStride(),
                               .rowStrideC = c.leadingStride()},
                              batchOffsets(a, batch),
                              batchOffsets(b, batch),
                              batchOffsets(c, batch)};
        result.mergeBatchIntoRows();
        return result;
    }

private:
    /// [batch, M, K] times one matrix is one product with batch * M rows.
    void mergeBatchIntoRows() {
        const auto batch = static_cast<int64_t>(offsetsA.size());
        if (batch < 2 || product.transA || !areEqual(offsetsB) ||
            !areConsecutive(offsetsA, product.m * product.rowStrideA) ||
            !areConsecutive(offsetsC, product.m * product.rowStrideC)) {
            return;
        }
        product.m *= batch;
        offsetsA = offsetsB = offsetsC = {0};
    }
};

/// `orders`: of both inputs and the output.
std::optional<BatchedProduct> batchedProduct(const Shape& shapeA, const Shape& shapeB,
                                             const Shape& shapeC,
                                             const MatMulAttributes& attributes,
                                             const OperandOrders& orders) {
    OperandLayout a = layoutOf(shapeA, orders.inputs[0], true, attributes.transBatchA);
    OperandLayout b = layoutOf(shapeB, orders.inputs[1], false, attributes.transBatchB);
    if (attributes.transA && shapeA.size() > 1) a = a.transposed();
    if (attributes.transB && shapeB.size() > 1) b = b.transposed();
    const Shape batch = broadcastShapes(a.batch, b.batch).value();
    // A vector's dimension of size 1 is not in the output.
    Shape dims = batch;
    dims.insert(dims.end(), {a.rows, b.columns});
    const bool isOrdered = !orders.output.empty();
    if (isOrdered && dims != shapeC) return std::nullopt;
    const OperandLayout c = layoutOf(dims, orders.output, true, false);
    return BatchedProduct::of(a, b, c, batch);
}

/// How C is read for element (row, column) of Y: a stride of 0 repeats it.
struct BiasStrides {
    int64_t row = 0;
    int64_t column = 0;

    static BiasStrides of(const Shape& shape) {
        const size_t rank = shape.size();
        const int64_t columns = rank > 0 ? shape[rank - 1] : 1;
        const int64_t rows = rank > 1 ? shape[rank - 2] : 1;
        return {rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
    }
};

/// Writes C into a tile of Y, for a product that adds to it.
template <typename T>
void spreadBias(const T* bias, BiasStrides strides, const MatrixTiles::Tile& tile, T* y) {
    for (int64_t i = 0; i < tile.product.m; ++i) {
        const T* from = bias + (tile.row + i) * strides.row + tile.column * strides.column;
        T* row = y + i * tile.product.rowStrideC;
        if (strides.column == 1) {
            std::copy(from, from + tile.product.n, row);
        } else {
            std::fill(row, row + tile.product.n, *from);
        }
    }
}

/// alpha * op(A) * op(B) + beta * C, with C in the kernel's third input.
template <typename Result>
struct BiasedProduct {
    MatrixProduct product;
    Result alpha = 1;
    Result beta = 0;  ///< 0: there is no C
    BiasStrides strides = {};
};

/// Reports the elements of a tile of Y.
void finishTile(const RunContext& context, const MatrixTiles::Tile& tile) {
    const MatrixProduct& p = tile.product;
    const bool isWhole = p.n == p.rowStrideC;
    const int64_t parts = isWhole ? 1 : p.m, elements = isWhole ? p.m * p.n : p.n;
    for (int64_t i = 0; i < parts; ++i) {
        const int64_t begin = tile.offsetC + i * p.rowStrideC;
        context.finished(begin, begin + elements);
    }
}

/// Layouts of the factors that are known before the run; null for the others.
using ConstantFactors = std::array<std::shared_ptr<LayoutsOfConstant>, 2>;

ConstantFactors constantFactors(const PrepareContext& context) {
    ConstantFactors factors;
    ConstantLayouts* shared = context.bodyTools().layouts;
    for (size_t i = 0; i < factors.size(); ++i) {
        const Tensor* known = context.constant(i);
        if (known == nullptr) continue;
        factors[i] = shared == nullptr ? std::make_shared<LayoutsOfConstant>() : shared->of(*known);
    }
    return factors;
}

/// For a right factor that is the same in each run.
std::unique_ptr<Kernel> packedKernel(const BiasedProduct<float>& biased, bool isSwapped,
                                     const ConstantFactors& constants) {
    const PanelProduct product(biased.product);
    const std::shared_ptr<LayoutsOfConstant>& constant = constants[isSwapped ? 0 : 1];
    // With the constant itself, other plans find the panels as long as this kernel is there.
    auto run = [product, constant, memory = constant->find(product.layout()), isSwapped,
                alpha = biased.alpha, beta = biased.beta,
                strides = biased.strides](const RunContext& c) {
        const auto *a = c.in<float>(isSwapped ? 1 : 0), *b = c.in<float>(isSwapped ? 0 : 1);
        const auto* bias = beta != 0.0F ? c.in<float>(2) : nullptr;
        auto* y = c.out<float>(0);
        const std::byte* panels = memory->get(
            product.panelBytes(), [&](std::byte* to) { product.pack(c.pool(), b, to); });
        c.pool().forEach(product.tiles().count(), [&](int64_t i) {
            const auto tile = product.tiles().tile(i);
            if (bias != nullptr) spreadBias(bias, strides, tile, y + tile.offsetC);
            product.multiply(tile, alpha, a, panels, beta, y);
            finishTile(c, tile);
        });
    };
    return makeKernel(std::move(run), {.flops = biased.product.flops()}, {.finishesParts = true});
}

/// Whether the right factor, as it is multiplied, is known before the run, and worth packing.
bool isWorthPacking(const BatchedProduct& batched, const ConstantFactors& constants) {
    return batched.offsetsA.size() == 1 && constants[batched.isSwapped ? 0 : 1] != nullptr &&
           PanelProduct::suits(batched.product);
}

/// The tile of `y`, which a product will be added to, gets the numbers of `added`.
template <typename Result>
void copyTile(const Result* added, const MatrixProduct& product, Result* y) {
    for (int64_t row = 0; row < product.m; ++row) {
        const int64_t begin = row * product.rowStrideC;
        std::copy_n(added + begin, product.n, y + begin);
    }
}

/// T: of the factors. `adds`: to input 2, which may be where the output is.
template <typename T, typename Result>
std::unique_ptr<Kernel> matMulKernel(BatchedProduct batched, Result alpha, bool adds) {
    const auto batch = static_cast<int64_t>(batched.offsetsA.size());
    const MatrixTiles tiles(batched.product, batch);
    const int64_t flops = batched.product.flops();
    const int64_t taskFlops = flops / std::max<int64_t>(tiles.count(), 1) + 1;
    const int64_t grain = std::max<int64_t>(kFlopsPerTask / taskFlops, 1);
    const int64_t products = batch * tiles.count();
    KernelTraits traits{.flops = flops * batch};
    if (adds) traits.mayShare = {{added_product::kAdded, 0}};
    auto run = [batched = std::move(batched), tiles, alpha, adds, products, grain](
                   const RunContext& c, int64_t task) {
        const size_t left = batched.isSwapped ? 1 : 0;
        const T *a = c.in<T>(left), *b = c.in<T>(1 - left);
        const Result* added = adds ? c.in<Result>(added_product::kAdded) : nullptr;
        auto* y = c.out<Result>(0);
        for (int64_t i = task * grain; i < std::min((task + 1) * grain, products); ++i) {
            const auto tile = tiles.tile(i % tiles.count());
            const auto at = static_cast<size_t>(i / tiles.count());
            const int64_t place = batched.offsetsC[at] + tile.offsetC;
            if (adds && added != y) copyTile(added + place, tile.product, y + place);
            gemm(tile.product, alpha, a + batched.offsetsA[at] + tile.offsetA,
                 b + batched.offsetsB[at] + tile.offsetB, adds ? Result{1} : Result{}, y + place);
        }
    };
    return makeTaskKernel((products + grain - 1) / grain, std::move(run), std::move(traits));
}

/// As visitTypes(), with the element types of a product's factors and of its result.
template <typename F>
std::unique_ptr<Kernel> visitProductType(const PrepareContext& context, F&& f) {
    const DType dtype = context.input(0).dtype;
    context.requireDType(1, dtype);
    if (multipliesNarrow(context)) return f.template operator()<BFloat16, float>();
    return visitTypes<float, double, int32_t, int64_t, uint32_t, uint64_t>(
        context, dtype, "float32, float64 or an integer of 32 or 64 bits",
        [&]<typename T>() { return f.template operator()<T, T>(); });
}

/// A factor of the product in the type of its elements.
/// Throws: Error(Unsupported) if these are integers and the factor is none of them.
template <typename T>
T factorOf(const PrepareContext& context, const char* name, float value) {
    if constexpr (std::is_integral_v<T>) {
        const float end = std::ldexp(1.0F, std::numeric_limits<T>::digits);
        const float begin = std::is_signed_v<T> ? -end : 0.0F;
        if (!(value >= begin && value < end && std::trunc(value) == value)) {
            std::ostringstream text;
            text << "Attribute '" << name << "' is " << value << "; expected an integer that "
                 << dtypeName(context.input(0).dtype) << ", the type of the inputs, can hold.";
            context.fail(ErrorCode::Unsupported, text.str(),
                         "Convert the inputs to floating-point numbers with Cast.");
        }
    }
    return static_cast<T>(value);
}

void requireAdded(const PrepareContext& context) {
    if (context.input(added_product::kAdded) == context.output(0)) return;
    context.fail(ErrorCode::InvalidInput,
                 "What is added has the shape " +
                     formatShape(context.input(added_product::kAdded).shape) + "; expected " +
                     formatShape(context.output(0).shape) + ", that of the product.");
}

/// `adds`: for AddedProduct, which takes what it adds as it is.
std::unique_ptr<Kernel> prepareProduct(const PrepareContext& context, bool adds) {
    const MatMulAttributes attributes = MatMulAttributes::of(context.node());
    if (adds) requireAdded(context);
    return visitProductType(context, [&]<typename T, typename Result>() {
        const auto alpha = factorOf<Result>(context, "alpha", attributes.alpha);
        return std::make_unique<ReorderableKernel>(
            context, 2,
            [=, a = context.input(0).shape, b = context.input(1).shape, c = context.output(0).shape,
             constants = constantFactors(context)](const OperandOrders& orders) {
                std::optional<BatchedProduct> batched = batchedProduct(a, b, c, attributes, orders);
                if (!batched || (adds && !orders.output.empty())) return std::unique_ptr<Kernel>();
                if constexpr (std::is_same_v<T, float>) {
                    if (!adds && isWorthPacking(*batched, constants))
                        return packedKernel({.product = batched->product, .alpha = alpha},
                                            batched->isSwapped, constants);
                }
                return matMulKernel<T, Result>(std::move(*batched), alpha, adds);
            });
    });
}

std::unique_ptr<Kernel> prepareMatMul(const PrepareContext& context) {
    return prepareProduct(context, false);
}

std::unique_ptr<Kernel> prepareAddedProduct(const PrepareContext& context) {
    return prepareProduct(context, true);
}

template <typename T, typename Result>
std::unique_ptr<Kernel> gemmKernel(const BiasedProduct<Result>& biased, bool isSwapped) {
    const MatrixTiles tiles(biased.product);
    auto run = [tiles, isSwapped, alpha = biased.alpha, beta = biased.beta,
                strides = biased.strides](const RunContext& c, int64_t task) {
        const T *a = c.in<T>(isSwapped ? 1 : 0), *b = c.in<T>(isSwapped ? 0 : 1);
        const auto* bias = beta != Result{} ? c.in<Result>(2) : nullptr;
        auto* y = c.out<Result>(0);
        const auto tile = tiles.tile(task);
        if (bias != nullptr) spreadBias(bias, strides, tile, y + tile.offsetC);
        gemm(tile.product, alpha, a + tile.offsetA, b + tile.offsetB, beta, y + tile.offsetC);
    };
    return makeTaskKernel(tiles.count(), std::move(run), {.flops = biased.product.flops()});
}

std::unique_ptr<Kernel> prepareGemm(const PrepareContext& context) {
    const GemmAttributes attributes = GemmAttributes::of(context.node());
    const bool hasBias = context.hasInput(2) && attributes.beta != 0.0F;
    if (context.hasInput(2)) context.requireDType(2, context.output(0).dtype);
    const MatMulAttributes form{.transA = attributes.transA, .transB = attributes.transB};
    return visitProductType(context, [&]<typename T, typename Result>() {
        BiasedProduct<Result> biased;
        biased.alpha = factorOf<Result>(context, "alpha", attributes.alpha);
        if (hasBias) {
            biased.beta = factorOf<Result>(context, "beta", attributes.beta);
            biased.strides = BiasStrides::of(context.input(2).shape);
        }
        return std::make_unique<ReorderableKernel>(
            context, 2,
            [=, a = context.input(0).shape, b = context.input(1).shape, c = context.output(0).shape,
             constants = constantFactors(context)](const OperandOrders& orders) {
                const auto batched = batchedProduct(a, b, c, form, orders);
                if (!batched || (batched->isSwapped && hasBias)) return std::unique_ptr<Kernel>();
                BiasedProduct<Result> ordered = biased;
                ordered.product = batched->product;
                if constexpr (std::is_same_v<T, float>) {
                    if (isWorthPacking(*batched, constants))
                        return packedKernel(ordered, batched->isSwapped, constants);
                }
                return gemmKernel<T, Result>(ordered, batched->isSwapped);
            });
    });
}

}  // namespace

void addMatmulCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "MatMul", prepareMatMul);
    kernels.add(kOnnxDomain, "Gemm", prepareGemm);
    kernels.add(kMicrosoftDomain, "FusedMatMul", prepareMatMul);
    kernels.add(kMicrosoftDomain, "TransposeMatMul", prepareMatMul);
    kernels.add(added_product::kDomain, added_product::kName, prepareAddedProduct);
}

}  // namespace temper
