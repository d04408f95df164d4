// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/attention/attention_products_cpu.h"

#include <algorithm>

#include "engine/ops/simd_cpu.h"
#include "engine/runtime/cpu/block_product.h"
#include "engine/runtime/cpu/transposition.h"

namespace temper {
namespace {

/// Lanes that are computed: whole vectors of any machine.
int64_t lanesFor(int64_t rows) { return (rows + 15) / 16 * 16; }

}  // namespace

void turnRows(const float* from, int64_t rows, int64_t columns, float scale, float* to) {
    if (rows == kTileQueries) {
        transposeMatrix(from, columns, rows, columns, to, rows);
    } else {
        std::fill_n(to, columns * kTileQueries, 0.0F);
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t column = 0; column < columns; ++column)
                to[column * kTileQueries + row] = from[row * columns + column];
        }
    }
    if (scale != 1) simd::scale(to, scale, to, columns * kTileQueries);
}

void multiplyIntoTile(const float* a, const float* b, const AttentionTile& tile, int64_t size,
                      float* to) {
    multiplyBlock({.m = tile.keys,
                   .n = lanesFor(tile.rows),
                   .k = size,
                   .a = a,
                   .rowStrideA = size,
                   .b = b,
                   .rowStrideB = kTileQueries,
                   .c = to,
                   .rowStrideC = kTileQueries});
}

void addByRows(const float* weights, const float* b, const AttentionTile& tile, int64_t columns,
               float* to) {
    multiplyBlock({.m = tile.rows,
                   .n = columns,
                   .k = tile.keys,
                   .a = weights,
                   .rowStrideA = 1,
                   .columnStrideA = kTileQueries,
                   .b = b,
                   .rowStrideB = columns,
                   .c = to,
                   .rowStrideC = columns,
                   .beta = 1});
}

void addByKeys(const float* weights, const float* b, const AttentionTile& tile, int64_t columns,
               float* to) {
    multiplyBlock({.m = tile.keys,
                   .n = columns,
                   .k = tile.rows,
                   .a = weights,
                   .rowStrideA = kTileQueries,
                   .b = b,
                   .rowStrideB = columns,
                   .c = to,
                   .rowStrideC = columns,
                   .beta = 1});
}

}  // namespace temper
