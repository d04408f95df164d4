// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/panel_product.h"

#include <algorithm>

#include "engine/runtime/cpu/block_product.h"

namespace temper {
namespace {

constexpr int64_t kWorthFlops = 1 << 20;
/// Fewer rows have too few sums at once to hide the time that an addition takes.
constexpr int64_t kMinRows = 4;
constexpr int64_t kMinColumns = kPanelColumns / 2;  ///< of a panel, which takes the time of all

// Tiles that occupy several threads evenly, and whose numbers stay in a core's cache.
constexpr int64_t kTileRows = 96;
constexpr int64_t kTileColumns = 512;
constexpr int64_t kFewRows = 24;
constexpr int64_t kFewColumns = 128;  ///< less would leave little for what follows a product
constexpr int64_t kTiles = 12;
constexpr int64_t kWorthATask = 1 << 18;  ///< multiplications

int64_t partsOf(int64_t extent, int64_t part) { return (extent + part - 1) / part; }

int64_t wholePanels(int64_t columns) { return partsOf(columns, kPanelColumns) * kPanelColumns; }

/// The extent of equal parts of at most about `most`.
int64_t evenPart(int64_t extent, int64_t most) { return partsOf(extent, partsOf(extent, most)); }

MatrixTiles tilesOf(const MatrixProduct& p) {
    if (p.m == 0 || p.n == 0) return MatrixTiles(p);
    int64_t rows = evenPart(p.m, kTileRows);
    int64_t columns = wholePanels(evenPart(p.n, kTileColumns));
    while (partsOf(p.m, rows) * partsOf(p.n, columns) < kTiles &&
           rows * columns * p.k >= 2 * kWorthATask) {
        if (columns >= 2 * kFewColumns) {
            columns = wholePanels(partsOf(columns, 2));
        } else if (rows >= 2 * kFewRows) {
            rows = partsOf(rows, 2);
        } else {
            break;
        }
    }
    return MatrixTiles(p, {rows, columns});
}

}  // namespace

bool PanelProduct::suits(const MatrixProduct& product) {
    return product.m >= kMinRows && product.n >= kMinColumns && product.flops() >= kWorthFlops;
}

PanelProduct::PanelProduct(const MatrixProduct& product)
    : product_(product), tiles_(tilesOf(product)) {}

std::string PanelProduct::layout() const {
    const MatrixProduct& p = product_;
    return std::string("panels of ") + (p.transB ? "columns" : "rows") + ' ' + std::to_string(p.k) +
           " x " + std::to_string(p.n) + " by " + std::to_string(p.rowStrideB);
}

size_t PanelProduct::panelBytes() const {
    return static_cast<size_t>(panelElements(product_.k, product_.n)) * sizeof(float);
}

void PanelProduct::pack(ThreadPool& pool, const float* b, std::byte* panels) const {
    packPanels(pool, {b, product_.rowStrideB, product_.transB}, product_.k, product_.n,
               reinterpret_cast<float*>(panels));
}

void PanelProduct::multiply(const MatrixTiles::Tile& tile, float alpha, const float* a,
                            const std::byte* panels, float beta, float* c) const {
    const MatrixProduct& p = tile.product;
    multiplyInBlocks({.m = p.m,
                      .n = p.n,
                      .k = p.k,
                      .a = a + tile.offsetA,
                      .rowStrideA = p.transA ? 1 : p.rowStrideA,
                      .columnStrideA = p.transA ? p.rowStrideA : 1,
                      .b = reinterpret_cast<const float*>(panels) + tile.column * p.k,
                      .panelStrideB = p.k * kPanelColumns,
                      .c = c + tile.offsetC,
                      .rowStrideC = p.rowStrideC,
                      .alpha = alpha,
                      .beta = beta});
}

}  // namespace temper
