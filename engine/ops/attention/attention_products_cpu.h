// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ops/attention/tile_sight_cpu.h"

namespace temper {

// Products of tiles of scores, which are stored transposed: [keys][kTileQueries].

/// Transposes rows of queries: [columns][kTileQueries], 0 in lanes without a row.
void turnRows(const float* from, int64_t rows, int64_t columns, float scale, float* to);

/// tile[keys][lanes] = a[keys, size] b[size][lanes]
void multiplyIntoTile(const float* a, const float* b, const AttentionTile& tile, int64_t size,
                      float* to);

/// to[rows, columns] += transposed(weights[keys][lanes]) b[keys, columns]
void addByRows(const float* weights, const float* b, const AttentionTile& tile, int64_t columns,
               float* to);

/// to[keys, columns] += weights[keys][lanes] b[rows, columns]
void addByKeys(const float* weights, const float* b, const AttentionTile& tile, int64_t columns,
               float* to);

}  // namespace temper
