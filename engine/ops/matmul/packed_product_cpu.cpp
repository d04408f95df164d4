// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/matmul/packed_product_cpu.h"

#include <algorithm>
#include <string>

#include "engine/runtime/cpu/block_product.h"

namespace temper {
namespace {

constexpr int64_t kWorthPackingFlops = 1 << 20;
/// Fewer rows have too few sums at once to hide the time that an addition takes.
constexpr int64_t kFewestRows = 4;
constexpr int64_t kFewestColumns = kPanelColumns / 2;  ///< of a panel, which takes the time of all

// Tiles that occupy several threads evenly, and whose numbers stay in a core's cache.
constexpr int64_t kTileRows = 96;
constexpr int64_t kTileColumns = 512;
constexpr int64_t kFewRows = 24;
constexpr int64_t kFewColumns = 128;  ///< less would leave little for what follows a product
constexpr int64_t kTiles = 12;
constexpr int64_t kWorthATask = 1 << 18;  ///< multiplications

int64_t piecesOf(int64_t extent, int64_t part) { return (extent + part - 1) / part; }

int64_t wholePanels(int64_t columns) { return piecesOf(columns, kPanelColumns) * kPanelColumns; }

/// The extent of equal parts of at most about `most`.
int64_t evenPart(int64_t extent, int64_t most) { return piecesOf(extent, piecesOf(extent, most)); }

MatrixTiles tilesOf(const MatrixProduct& p) {
    int64_t rows = evenPart(p.m, kTileRows);
    int64_t columns = wholePanels(evenPart(p.n, kTileColumns));
    while (piecesOf(p.m, rows) * piecesOf(p.n, columns) < kTiles &&
           rows * columns * p.k >= 2 * kWorthATask) {
        if (columns >= 2 * kFewColumns) {
            columns = wholePanels(piecesOf(columns, 2));
        } else if (rows >= 2 * kFewRows) {
            rows = piecesOf(rows, 2);
        } else {
            break;
        }
    }
    return MatrixTiles(p, {rows, columns});
}

/// All that decides what the panels of a matrix hold.
std::string layoutName(const MatrixProduct& p) {
    return std::string("panels of ") + (p.transB ? "columns" : "rows") + ' ' + std::to_string(p.k) +
           " x " + std::to_string(p.n) + " by " + std::to_string(p.rowStrideB);
}

}  // namespace

bool PackedProduct::suits(const MatrixProduct& product) {
    return product.m >= kFewestRows && product.n >= kFewestColumns &&
           product.flops() >= kWorthPackingFlops;
}

PackedProduct::PackedProduct(const MatrixProduct& product, LayoutsOfConstant& b)
    : product_(product), tiles_(tilesOf(product)), panels_(b.find(layoutName(product))) {}

const float* PackedProduct::panels(ThreadPool& pool, const float* b) const {
    const MatrixProduct& p = product_;
    const size_t bytes = static_cast<size_t>(panelElements(p.k, p.n)) * sizeof(float);
    const std::byte* memory = panels_->get(bytes, [&](std::byte* data) {
        packPanels(pool, {b, p.rowStrideB, p.transB}, p.k, p.n, reinterpret_cast<float*>(data));
    });
    return reinterpret_cast<const float*>(memory);
}

void PackedProduct::multiply(const MatrixTiles::Tile& tile, float alpha, const float* a,
                             const float* panels, float beta, float* c) const {
    const MatrixProduct& p = tile.product;
    multiplyInBlocks({.m = p.m,
                      .n = p.n,
                      .k = p.k,
                      .a = a + tile.offsetA,
                      .rowStrideA = p.transA ? 1 : p.rowStrideA,
                      .columnStrideA = p.transA ? p.rowStrideA : 1,
                      .b = panels + tile.column * p.k,
                      .panelStrideB = p.k * kPanelColumns,
                      .c = c + tile.offsetC,
                      .rowStrideC = p.rowStrideC,
                      .alpha = alpha,
                      .beta = beta});
}

}  // namespace temper
