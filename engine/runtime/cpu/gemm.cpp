// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/gemm.h"

#include <oneapi/dnnl/dnnl.h>

#include <algorithm>

#include "engine/core/error.h"
#include "engine/runtime/cpu/instruction_set.h"
#include "engine/runtime/cpu/line_aligned.h"
#include "engine/runtime/cpu/onednn.h"
#include "engine/runtime/cpu/transposition.h"

/// As dnnl_sgemm(). oneDNN 2 and 3 export it without declaring it: null in one that does not.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" [[gnu::weak]] dnnl_status_t dnnl_gemm_bf16bf16f32(
    char transa, char transb, dnnl_dim_t m, dnnl_dim_t n, dnnl_dim_t k, float alpha,
    const temper::BFloat16* a, dnnl_dim_t lda, const temper::BFloat16* b, dnnl_dim_t ldb,
    float beta, float* c, dnnl_dim_t ldc);

namespace temper {
namespace {

// oneDNN packs A and B again for each tile: larger tiles make that cheaper.
constexpr int64_t kMaxRows = 512;
constexpr int64_t kMaxColumns = 1024;
constexpr int64_t kGoodRows = 128;  // with fewer, the cost of packing B shows
constexpr int64_t kMinRows = 64;
constexpr int64_t kMinColumns = 64;
constexpr int64_t kMinTransposedColumns = 128;  // of op(B), which is packed by its rows
constexpr int64_t kMinTiles = 4;
constexpr int64_t kFlopsOfTile = 1 << 27;
constexpr int64_t kWorthATask = 1 << 20;  // multiplications

// oneDNN packs a column-major B slowly, and with a column-major A as well, a product takes up to
// six times as long. With enough rows, or such an A, it is faster to transpose B first.
constexpr int64_t kRowsForTurning = 256;
constexpr int64_t kMaxTurned = 1 << 19;  // elements; each thread keeps room for them

bool isWorthTurning(const MatrixProduct& p) {
    return p.transB && (p.transA || p.m >= kRowsForTurning) && p.k * p.n <= kMaxTurned;
}

// Without AVX-512, oneDNN reads B, and an A that is stored by columns, row by row where they lie.
// The lines of rows 2 KiB apart have few places in the first-level cache and push each other out: a
// product takes up to three times as long as one of rows that are copied to other distances.
constexpr int64_t kCrowdedStride = 2048 / sizeof(float);
constexpr int64_t kWorthCopying = 16;  // rows and columns of C; with fewer, the copies show
constexpr int64_t kCopiedInner = 384;  // of the inner dimension at a time
constexpr int64_t kFloatsOfLine = 16;

bool isCrowded(int64_t stride) { return stride % kCrowdedStride == 0; }

int64_t sparseStride(int64_t columns) {
    const int64_t lines = (columns + kFloatsOfLine - 1) / kFloatsOfLine * kFloatsOfLine;
    return isCrowded(lines) ? lines + kFloatsOfLine : lines;
}

bool isWorthSpreading(const MatrixProduct& p) {
    return !p.transB && (isCrowded(p.rowStrideB) || (p.transA && isCrowded(p.rowStrideA))) &&
           p.m >= kWorthCopying && p.n >= kWorthCopying && !mayUseAvx512();
}

const float* copyRows(const float* from, int64_t stride, int64_t rows, int64_t columns,
                      LineAligned& memory) {
    const int64_t sparse = sparseStride(columns);
    float* to = memory.room(rows * sparse);
    for (int64_t row = 0; row < rows; ++row)
        std::copy_n(from + row * stride, columns, to + row * sparse);
    return to;
}

void multiply(const MatrixProduct& p, float alpha, const float* a, const float* b, float beta,
              float* c) {
    const SerialOneDnn serial;
    const dnnl_status_t status =
        dnnl_sgemm(p.transA ? 'T' : 'N', p.transB ? 'T' : 'N', p.m, p.n, p.k, alpha, a,
                   p.rowStrideA, b, p.rowStrideB, beta, c, p.rowStrideC);
    TEMPER_ASSERT(status == dnnl_success, "the sizes of a matrix product were checked");
}

/// The product of copies of B, and of A if that is stored by columns.
void multiplyCopies(const MatrixProduct& p, float alpha, const float* a, const float* b, float beta,
                    float* c) {
    thread_local LineAligned memoryA, memoryB;
    const int64_t parts = (p.k + kCopiedInner - 1) / kCopiedInner;
    for (int64_t i = 0; i < parts; ++i) {
        const int64_t from = p.k * i / parts;
        MatrixProduct part = p;
        part.k = p.k * (i + 1) / parts - from;
        const float* partA = a + from * (p.transA ? p.rowStrideA : 1);
        if (p.transA) {
            partA = copyRows(partA, p.rowStrideA, part.k, p.m, memoryA);
            part.rowStrideA = sparseStride(p.m);
        }
        const float* partB = copyRows(b + from * p.rowStrideB, p.rowStrideB, part.k, p.n, memoryB);
        part.rowStrideB = sparseStride(p.n);
        multiply(part, alpha, partA, partB, i == 0 ? beta : 1.0F, c);
    }
}

int64_t tilesOf(int64_t extent, int64_t tile) { return (extent + tile - 1) / tile; }

}  // namespace

MatrixTiles::MatrixTiles(const MatrixProduct& product, int64_t products)
    : MatrixTiles(product, extentFor(product, products)) {}

MatrixTiles::MatrixTiles(const MatrixProduct& product, Extent extent)
    : product_(product),
      extent_(extent),
      rowTiles_(tilesOf(product.m, extent.rows)),
      columnTiles_(tilesOf(product.n, extent.columns)) {}

MatrixTiles::Extent MatrixTiles::extentFor(const MatrixProduct& p, int64_t products) {
    Extent tile{std::clamp<int64_t>(p.m, 1, kMaxRows), std::clamp<int64_t>(p.n, 1, kMaxColumns)};
    const int64_t wanted = tilesOf(std::max(kMinTiles, p.flops() * products / kFlopsOfTile),
                                   std::max<int64_t>(products, 1));
    const int64_t minColumns = p.transB ? kMinTransposedColumns : kMinColumns;
    while (tilesOf(p.m, tile.rows) * tilesOf(p.n, tile.columns) < wanted) {
        if (tile.rows * tile.columns * p.k < kWorthATask) break;
        const bool canCutRows = tile.rows > kMinRows;
        const bool canCutColumns = tile.columns > minColumns;
        if (!canCutRows && !canCutColumns) break;
        const bool prefersRows = !p.transB && tile.rows > kGoodRows;
        int64_t& extent = canCutRows && (prefersRows || !canCutColumns) ? tile.rows : tile.columns;
        extent = (extent + 1) / 2;
    }
    return tile;
}

MatrixTiles::Tile MatrixTiles::tile(int64_t i) const {
    Tile tile{product_, i / columnTiles_ * extent_.rows, i % columnTiles_ * extent_.columns};
    tile.product.m = std::min(extent_.rows, product_.m - tile.row);
    tile.product.n = std::min(extent_.columns, product_.n - tile.column);
    tile.offsetA = tile.row * (product_.transA ? 1 : product_.rowStrideA);
    tile.offsetB = tile.column * (product_.transB ? product_.rowStrideB : 1);
    tile.offsetC = tile.row * product_.rowStrideC + tile.column;
    return tile;
}

void gemm(const MatrixProduct& p, float alpha, const float* a, const float* b, float beta,
          float* c) {
    if (p.m == 0 || p.n == 0) return;
    if (p.k == 0) return gemm<float>(p, alpha, a, b, beta, c);
    if (isWorthTurning(p)) {
        thread_local LineAligned memory;
        MatrixProduct turned = p;
        turned.transB = false;
        turned.rowStrideB = sparseStride(p.n);
        float* rows = memory.room(p.k * turned.rowStrideB);
        transposeMatrix(b, p.rowStrideB, p.n, p.k, rows, turned.rowStrideB);
        return gemm(turned, alpha, a, rows, beta, c);
    }
    if (isWorthSpreading(p)) return multiplyCopies(p, alpha, a, b, beta, c);
    multiply(p, alpha, a, b, beta, c);
}

bool hasBFloat16Gemm() { return dnnl_gemm_bf16bf16f32 != nullptr; }

void gemm(const MatrixProduct& p, float alpha, const BFloat16* a, const BFloat16* b, float beta,
          float* c) {
    if (p.m == 0 || p.n == 0) return;
    if (p.k == 0) return gemm<float>(p, alpha, c, c, beta, c);  // reads neither A nor B
    const SerialOneDnn serial;
    const dnnl_status_t status =
        dnnl_gemm_bf16bf16f32(p.transA ? 'T' : 'N', p.transB ? 'T' : 'N', p.m, p.n, p.k, alpha, a,
                              p.rowStrideA, b, p.rowStrideB, beta, c, p.rowStrideC);
    TEMPER_ASSERT(status == dnnl_success, "the sizes of a matrix product were checked");
}

}  // namespace temper
