// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "engine/ops/matmul/matmul.h"
#include "engine/runtime/cpu/gemm.h"

namespace temper {
namespace {

/// Small products are gathered into tasks of about this size.
constexpr int64_t kFlopsPerTask = 1 << 20;

/// Where one operand's matrices lie: [batch..., rows, columns] with strides.
struct OperandLayout {
    Shape batch;
    Shape batchStrides;
    int64_t rows = 1;  ///< as stored: before transposition
    int64_t columns = 1;
    int64_t rowStride = 0;
};

OperandLayout layoutOf(const Shape& shape, bool isLeft, bool batchTransposed) {
    if (shape.size() == 1) {
        if (isLeft) return {{}, {}, 1, shape[0], shape[0]};
        return {{}, {}, shape[0], 1, 1};
    }
    Shape dims = shape, strides = stridesOf(shape);
    if (batchTransposed) {
        std::rotate(dims.begin(), dims.begin() + 1, dims.end() - 1);
        std::rotate(strides.begin(), strides.begin() + 1, strides.end() - 1);
    }
    const size_t rows = dims.size() - 2;
    return {{dims.begin(), dims.end() - 2},
            {strides.begin(), strides.end() - 2},
            dims[rows],
            dims[rows + 1],
            strides[rows]};
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

/// The matrices lie one behind the other, without gaps.
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

    /// [batch, M, K] times one matrix is one product with batch * M rows.
    void mergeBatchIntoRows() {
        const auto batch = static_cast<int64_t>(offsetsA.size());
        const bool isDense = !product.transA && product.rowStrideA == product.k;
        if (batch < 2 || !isDense || !areEqual(offsetsB) ||
            !areConsecutive(offsetsA, product.m * product.k)) {
            return;
        }
        product.m *= batch;
        offsetsA = offsetsB = {0};
    }
};

BatchedProduct batchedProduct(const PrepareContext& context, const MatMulAttributes& attributes) {
    const OperandLayout a = layoutOf(context.input(0).shape, true, attributes.transBatchA);
    const OperandLayout b = layoutOf(context.input(1).shape, false, attributes.transBatchB);
    MatrixProduct p;
    p.transA = attributes.transA && context.input(0).shape.size() > 1;
    p.transB = attributes.transB && context.input(1).shape.size() > 1;
    p.m = p.transA ? a.columns : a.rows;
    p.k = p.transA ? a.rows : a.columns;
    p.n = p.transB ? b.rows : b.columns;
    p.rowStrideA = a.rowStride;
    p.rowStrideB = b.rowStride;
    p.rowStrideC = p.n;
    const Shape batch = broadcastShapes(a.batch, b.batch).value();
    BatchedProduct result{p, batchOffsets(a, batch), batchOffsets(b, batch)};
    result.mergeBatchIntoRows();
    return result;
}

template <typename T>
std::unique_ptr<Kernel> matMulKernel(BatchedProduct batched, T alpha) {
    const MatrixTiles tiles(batched.product);
    const auto batch = static_cast<int64_t>(batched.offsetsA.size());
    const int64_t flops = batched.product.flops();
    const int64_t taskFlops = flops / std::max<int64_t>(tiles.count(), 1) + 1;
    const int64_t grain = std::max<int64_t>(kFlopsPerTask / taskFlops, 1);
    KernelTraits traits{.flops = flops * batch};
    auto run = [batched = std::move(batched), tiles, alpha, batch, grain](const RunContext& c) {
        const T *a = c.in<T>(0), *b = c.in<T>(1);
        T* y = c.out<T>(0);
        const int64_t sizeC = batched.product.m * batched.product.n;
        c.pool().forRanges(batch * tiles.count(), grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t matrix = i / tiles.count();
                const auto tile = tiles.tile(i % tiles.count());
                const auto at = static_cast<size_t>(matrix);
                gemm(tile.product, alpha, a + batched.offsetsA[at] + tile.offsetA,
                     b + batched.offsetsB[at] + tile.offsetB, T{},
                     y + matrix * sizeC + tile.offsetC);
            }
        });
    };
    return makeKernel(std::move(run), std::move(traits));
}

void requireProductType(const PrepareContext& context) {
    switch (context.input(0).dtype) {
        case DType::Float32:
        case DType::Float64:
        case DType::Int32:
        case DType::Int64:
        case DType::UInt32:
        case DType::UInt64: break;
        default:
            context.fail(ErrorCode::Unsupported,
                         "Input 0 has the element type " +
                             std::string(dtypeName(context.input(0).dtype)) +
                             "; expected float32, float64 or an integer of 32 or 64 bits.",
                         "Insert a Cast before it.");
    }
    context.requireDType(1, context.input(0).dtype);
}

/// Calls `f.template operator()<T>()` with the element type of a product.
template <typename F>
std::unique_ptr<Kernel> visitProductType(const PrepareContext& context, F&& f) {
    requireProductType(context);
    switch (context.input(0).dtype) {
        case DType::Float32: return f.template operator()<float>();
        case DType::Float64: return f.template operator()<double>();
        case DType::Int32: return f.template operator()<int32_t>();
        case DType::Int64: return f.template operator()<int64_t>();
        case DType::UInt32: return f.template operator()<uint32_t>();
        default: return f.template operator()<uint64_t>();
    }
}

std::unique_ptr<Kernel> prepareMatMul(const PrepareContext& context) {
    const MatMulAttributes attributes = MatMulAttributes::of(context.node());
    BatchedProduct batched = batchedProduct(context, attributes);
    return visitProductType(context, [&]<typename T>() {
        return matMulKernel<T>(std::move(batched), static_cast<T>(attributes.alpha));
    });
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

template <typename T>
std::unique_ptr<Kernel> gemmKernel(const PrepareContext& context, const MatrixProduct& product,
                                   const GemmAttributes& attributes) {
    const bool hasBias = context.hasInput(2) && attributes.beta != 0.0F;
    const auto strides = hasBias ? BiasStrides::of(context.input(2).shape) : BiasStrides{};
    const T alpha = static_cast<T>(attributes.alpha);
    const T beta = hasBias ? static_cast<T>(attributes.beta) : T{};
    const MatrixTiles tiles(product);
    auto run = [=](const RunContext& c) {
        const T *a = c.in<T>(0), *b = c.in<T>(1), *bias = hasBias ? c.in<T>(2) : nullptr;
        T* y = c.out<T>(0);
        c.pool().forEach(tiles.count(), [&](int64_t i) {
            const auto tile = tiles.tile(i);
            if (bias != nullptr) spreadBias(bias, strides, tile, y + tile.offsetC);
            gemm(tile.product, alpha, a + tile.offsetA, b + tile.offsetB, beta, y + tile.offsetC);
        });
    };
    return makeKernel(std::move(run), {.flops = product.flops()});
}

std::unique_ptr<Kernel> prepareGemm(const PrepareContext& context) {
    const GemmAttributes attributes = GemmAttributes::of(context.node());
    const Shape &a = context.input(0).shape, &b = context.input(1).shape;
    MatrixProduct product{.m = attributes.transA ? a.at(1) : a.at(0),
                          .n = attributes.transB ? b.at(0) : b.at(1),
                          .k = attributes.transA ? a.at(0) : a.at(1),
                          .transA = attributes.transA,
                          .transB = attributes.transB};
    product.setDenseStrides();
    if (context.hasInput(2)) context.requireDType(2, context.input(0).dtype);
    return visitProductType(
        context, [&]<typename T>() { return gemmKernel<T>(context, product, attributes); });
}

}  // namespace

void addMatmulCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "MatMul", prepareMatMul);
    kernels.add(kOnnxDomain, "Gemm", prepareGemm);
    kernels.add(kMicrosoftDomain, "FusedMatMul", prepareMatMul);
    kernels.add(kMicrosoftDomain, "TransposeMatMul", prepareMatMul);
}

}  // namespace temper
