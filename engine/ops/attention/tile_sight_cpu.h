// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/runtime/kernel.h"

namespace temper {

/// Queries and keys of a tile of scores. Tiles are stored by key, [keys][kTileQueries]: the work
/// for each query uses all lanes of a vector at once.
inline constexpr int64_t kTileQueries = 64;
inline constexpr int64_t kTileKeys = 128;
inline constexpr int64_t kTileSize = kTileQueries * kTileKeys;

/// Which scores a tile has.
struct AttentionTile {
    int64_t batch = 0;
    std::array<int64_t, kTileQueries> heads{};    ///< of each row
    std::array<int64_t, kTileQueries> queries{};  ///< of each row, within its head
    int64_t rows = 0;
    int64_t firstKey = 0;
    int64_t keys = 0;
};

/// Which keys the queries of a node of engine/ir/block_attention.h see.
class TileSight {
public:
    /// `first`: the first input that determines this. `scores`: [batch, heads, queries, keys].
    /// Throws: Error(InvalidInput) if an input does not broadcast to the scores.
    TileSight(const PrepareContext& context, size_t first, const Shape& scores);

    enum class Seen { None, Some, All };

    bool hasBias() const { return bias_.isThere; }
    bool hides() const { return hides_; }

    /// The bias of each score, 0 in lanes without a row.
    void fillBias(const RunContext& run, const AttentionTile& tile, float* bias) const;

    /// For each score 1 if the key is hidden, else 0, also in lanes without a row. Written only if
    /// the result is Some.
    Seen fillHidden(const RunContext& run, const AttentionTile& tile, float* hidden) const;

private:
    /// How an input is broadcast to [batch, heads, queries, keys]: a stride of 0 repeats it.
    struct Operand {
        size_t input = 0;
        bool isThere = false;
        std::array<int64_t, 4> strides{};

        static Operand of(const PrepareContext& context, size_t input, const Shape& scores);
        /// The same for positions, one per key or one per query.
        static Operand positions(const PrepareContext& context, size_t input, const Shape& scores);
        int64_t offset(const AttentionTile& tile, int64_t row) const {
            const auto at = static_cast<size_t>(row);
            return tile.batch * strides[0] + tile.heads[at] * strides[1] +
                   tile.queries[at] * strides[2] + tile.firstKey * strides[3];
        }
        bool isSameForAllRows() const { return strides[1] == 0 && strides[2] == 0; }
    };
    struct Pair {
        Operand lower;
        Operand upper;
        bool isStrict = false;
    };
    /// The numbers of a position for the tile: one per key or one per row.
    struct Positions {
        std::array<int64_t, kTileKeys> numbers{};
        bool isByKey = false;
        int64_t least = 0;
        int64_t most = 0;

        int64_t at(int64_t key, int64_t row) const {
            return numbers[static_cast<size_t>(isByKey ? key : row)];
        }
    };

    static Positions positionsOf(const RunContext& run, const Operand& operand,
                                 const AttentionTile& tile);
    static Seen hideByPair(const RunContext& run, const Pair& pair, const AttentionTile& tile,
                           float* hidden);
    template <typename T, typename F>
    static void spread(const T* data, const Operand& operand, const AttentionTile& tile, F&& write);

    Operand bias_;
    Operand mask_;
    std::vector<Pair> pairs_;
    bool hides_ = false;
    bool infiniteHides_ = false;
};

}  // namespace temper
