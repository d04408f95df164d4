// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/attention/tile_sight_cpu.h"

#include <algorithm>
#include <limits>
#include <string>

#include "engine/ir/block_attention.h"

namespace temper {
namespace {

namespace names = block_attention;

using Seen = TileSight::Seen;

/// What two conditions leave visible, as far as it is known without the tile.
Seen both(Seen a, Seen b) {
    if (a == Seen::None || b == Seen::None) return Seen::None;
    return a == Seen::All ? b : a;
}

}  // namespace

TileSight::Operand TileSight::Operand::of(const PrepareContext& context, size_t input,
                                          const Shape& scores) {
    Operand operand{.input = input, .isThere = context.hasInput(input)};
    if (!operand.isThere) return operand;
    const Shape& shape = context.input(input).shape;
    if (broadcastShapes(shape, scores) != scores) {
        context.fail(ErrorCode::InvalidInput, "Input " + std::to_string(input) + " has the shape " +
                                                  formatShape(shape) +
                                                  "; expected one that broadcasts to the scores' " +
                                                  formatShape(scores) + ".");
    }
    const Shape strides = stridesOf(shape);
    for (size_t i = 0; i < shape.size(); ++i) {
        const size_t axis = 4 - shape.size() + i;
        operand.strides[axis] = shape[i] == 1 ? 0 : strides[i];
    }
    return operand;
}

TileSight::Operand TileSight::Operand::positions(const PrepareContext& context, size_t input,
                                                 const Shape& scores) {
    context.requireDType(input, DType::Int64);
    const Operand operand = of(context, input, scores);
    if (operand.strides[3] != 0 && !operand.isSameForAllRows()) {
        context.fail(ErrorCode::InvalidInput,
                     "Input " + std::to_string(input) + " has the shape " +
                         formatShape(context.input(input).shape) +
                         "; expected one position per key or one per query.");
    }
    return operand;
}

TileSight::TileSight(const PrepareContext& context, size_t first, const Shape& scores)
    : bias_(Operand::of(context, first + names::kBias, scores)),
      mask_(Operand::of(context, first + names::kMask, scores)),
      hides_(context.node().attribute<int64_t>(names::kHides, 0) != 0),
      infiniteHides_(context.node().attribute<int64_t>(names::kInfiniteHides, 0) != 0) {
    if (bias_.isThere || infiniteHides_) context.requireDType(first + names::kBias, DType::Float32);
    if (mask_.isThere) context.requireDType(first + names::kMask, DType::Bool);
    const auto strict =
        context.node().attribute<std::vector<int64_t>>(names::kStrict, std::vector<int64_t>{});
    for (size_t i = 0; i < strict.size(); ++i) {
        const size_t input = first + names::kPairs + 2 * i;
        pairs_.push_back({Operand::positions(context, input, scores),
                          Operand::positions(context, input + 1, scores), strict[i] != 0});
    }
}

/// Calls write(key, row, number) for each score of the tile.
template <typename T, typename F>
void TileSight::spread(const T* data, const Operand& operand, const AttentionTile& tile,
                       F&& write) {
    const int64_t step = operand.strides[3];
    if (operand.isSameForAllRows()) {
        const T* from = data + operand.offset(tile, 0);
        for (int64_t key = 0; key < tile.keys; ++key) {
            const T number = from[key * step];
            for (int64_t row = 0; row < tile.rows; ++row) write(key, row, number);
        }
        return;
    }
    for (int64_t row = 0; row < tile.rows; ++row) {
        const T* from = data + operand.offset(tile, row);
        for (int64_t key = 0; key < tile.keys; ++key) write(key, row, from[key * step]);
    }
}

void TileSight::fillBias(const RunContext& run, const AttentionTile& tile, float* bias) const {
    if (tile.rows < kTileQueries) std::fill_n(bias, tile.keys * kTileQueries, 0.0F);
    spread(run.in<float>(bias_.input), bias_, tile, [=](int64_t key, int64_t row, float number) {
        bias[key * kTileQueries + row] = number;
    });
}

TileSight::Positions TileSight::positionsOf(const RunContext& run, const Operand& operand,
                                            const AttentionTile& tile) {
    Positions positions{.isByKey = operand.strides[3] != 0};
    const auto* data = run.in<int64_t>(operand.input);
    const int64_t count = positions.isByKey ? tile.keys : tile.rows;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = positions.isByKey ? operand.offset(tile, 0) + i * operand.strides[3]
                                             : operand.offset(tile, i);
        positions.numbers[static_cast<size_t>(i)] = data[at];
    }
    const auto [least, most] =
        std::minmax_element(positions.numbers.begin(), positions.numbers.begin() + count);
    positions.least = *least;
    positions.most = *most;
    return positions;
}

TileSight::Seen TileSight::hideByPair(const RunContext& run, const Pair& pair,
                                      const AttentionTile& tile, float* hidden) {
    const Positions lower = positionsOf(run, pair.lower, tile);
    const Positions upper = positionsOf(run, pair.upper, tile);
    const int64_t gap = pair.isStrict ? 1 : 0;
    if (lower.most + gap <= upper.least) return Seen::All;
    if (lower.least + gap > upper.most) return Seen::None;
    for (int64_t key = 0; key < tile.keys; ++key) {
        float* lanes = hidden + key * kTileQueries;
        for (int64_t row = 0; row < tile.rows; ++row) {
            if (lower.at(key, row) + gap > upper.at(key, row)) lanes[row] = 1;
        }
    }
    return Seen::Some;
}

TileSight::Seen TileSight::fillHidden(const RunContext& run, const AttentionTile& tile,
                                      float* hidden) const {
    if (!hides_) return Seen::All;
    std::fill_n(hidden, tile.keys * kTileQueries, 0.0F);
    Seen seen = Seen::All;
    for (const Pair& pair : pairs_) {
        seen = both(seen, hideByPair(run, pair, tile, hidden));
        if (seen == Seen::None) return seen;
    }
    if (mask_.isThere) {
        spread(run.in<bool>(mask_.input), mask_, tile, [=](int64_t key, int64_t row, bool isSeen) {
            if (!isSeen) hidden[key * kTileQueries + row] = 1;
        });
    }
    if (infiniteHides_) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        spread(run.in<float>(bias_.input), bias_, tile, [=](int64_t key, int64_t row, float bias) {
            if (bias == -kInfinity) hidden[key * kTileQueries + row] = 1;
        });
    }
    if (seen == Seen::All && !mask_.isThere && !infiniteHides_) return seen;
    float count = 0;
    for (int64_t i = 0; i < tile.keys * kTileQueries; ++i) count += hidden[i];
    if (count == 0) return Seen::All;
    return count == static_cast<float>(tile.keys * tile.rows) ? Seen::None : Seen::Some;
}

}  // namespace temper
