// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace temper {

/// Scores of queries and keys, [keys][kTileQueries], before cap, bias and mask.
struct ScoreTile {
    float* scores = nullptr;
    const float* bias = nullptr;    ///< null: none
    const float* hidden = nullptr;  ///< not 0 where a key is hidden; null: all are seen
    int64_t keys = 0;
    int64_t rows = 0;   ///< lanes that matter
    float softcap = 0;  ///< 0: none
};

/// The state of the rows so far; kTileQueries numbers each.
struct SoftmaxState {
    float* maxima = nullptr;
    float* sums = nullptr;    ///< of exp(score - maximum)
    float* blind = nullptr;   ///< not 0 until a key is seen
    float* fading = nullptr;  ///< what the sums before the tile were multiplied by
};

/// Turns scores into exp(score - maximum), 0 if hidden, and updates the state.
/// Source: Dao, "FlashAttention-2" (2023), algorithm 1, lines 8 to 10.
void continueSoftmax(const ScoreTile& tile, const SoftmaxState& state);

/// A row whose largest score is this sees no key.
inline constexpr float kBlindMaximum = -std::numeric_limits<float>::infinity();

/// For the backward pass, kTileQueries numbers each.
struct RowSums {
    const float* maxima = nullptr;
    const float* shares = nullptr;    ///< 1 / sum of exp(score - maximum)
    const float* products = nullptr;  ///< of y and dy
    float blindShare = 0;             ///< the probability of each key of a row that sees none
    bool blindLearn = false;          ///< the scores of such a row have gradients
    float scale = 1;                  ///< of the products of queries and keys
};

/// Turns scores into probabilities, and `gradients` from those of probabilities into those of the
/// products.
/// Source: Dao, "FlashAttention-2" (2023), algorithm 2, lines 11 and 14.
void scoreGradients(const ScoreTile& tile, const RowSums& rows, float* gradients);

}  // namespace temper
