// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/counted.h"
#include "engine/ir/block_attention.h"
#include "engine/ops/attention/attention_loops_cpu.h"
#include "engine/ops/attention/attention_products_cpu.h"
#include "engine/ops/attention/block_attention.h"
#include "engine/ops/attention/tile_sight_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/runtime/cpu/line_aligned.h"
#include "engine/runtime/cpu/scratch_layout.h"

// Tiles of scores are stored transposed, by key: the softmax processes the queries lane by lane,
// and only a few rows of queries have to be transposed for the products.
namespace temper {
namespace {

namespace names = block_attention;

using Lanes = std::array<float, kTileQueries>;

/// Tasks are at least about this large.
constexpr int64_t kFlopsPerTask = 1 << 20;
/// Tasks of a backward pass that share its keys; each has its own gradients of the queries.
constexpr int64_t kWantedTasks = 16;
constexpr int64_t kMaxParts = 4;

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Sizes of the operators, by the names of block_attention.h.
struct AttentionShape {
    int64_t batch = 0;
    int64_t groups = 0;
    int64_t rows = 0;
    int64_t keys = 0;
    int64_t size = 0;
    int64_t valueSize = 0;
    int64_t headsPerGroup = 0;
    int64_t queries = 0;
    float scale = 1;
    float softcap = 0;
    names::Blind blind = names::Blind::Mean;

    /// `first`: the input that holds the queries.
    AttentionShape(const PrepareContext& context, size_t first) {
        for (size_t i = 0; i < first + 3; ++i) context.requireDType(i, DType::Float32);
        const Shape &q = context.input(first).shape, &k = context.input(first + 1).shape,
                    &v = context.input(first + 2).shape;
        const Node& node = context.node();
        batch = node.attribute<int64_t>(names::kBatch, 0);
        const auto heads = node.attribute<int64_t>(names::kHeads, 0);
        rows = q[q.size() - 2], size = q.back(), keys = k[k.size() - 2], valueSize = v.back();
        const int64_t matrices = numElements(q) / std::max<int64_t>(1, rows * size);
        groups = batch > 0 ? matrices / batch : 0;
        const bool fits =
            numElements(q) > 0 && numElements(v) > 0 && groups > 0 && matrices % batch == 0 &&
            k.back() == size && numElements(k) == matrices * keys * size &&
            numElements(v) == matrices * keys * valueSize && v[v.size() - 2] == keys && heads > 0 &&
            heads % groups == 0 && rows % (heads / groups) == 0;
        if (!fits) {
            context.fail(ErrorCode::InvalidInput,
                         "Queries, keys and values have the shapes " + formatShape(q) + ", " +
                             formatShape(k) + " and " + formatShape(v) + " for " +
                             counted(heads, "head") + " in a batch of " + std::to_string(batch) +
                             "; expected groups of heads that share keys.");
        }
        headsPerGroup = heads / groups;
        queries = rows / headsPerGroup;
        scale = node.attribute<float>(names::kScale, 1.0F);
        softcap = node.attribute<float>(names::kSoftcap, 0.0F);
        blind = static_cast<names::Blind>(node.attribute<int64_t>(names::kBlind, 0));
    }

    /// The probability of each key for a query that sees none.
    float blindShare() const {
        if (blind == names::Blind::Zeros) return 0;
        if (blind == names::Blind::NotANumber) return std::numeric_limits<float>::quiet_NaN();
        return 1 / static_cast<float>(keys);
    }
    bool blindLearn() const {
        return blind == names::Blind::MeanThatLearns || blind == names::Blind::NotANumber;
    }

    Shape scores() const { return {batch, groups * headsPerGroup, queries, keys}; }
    int64_t matrices() const { return batch * groups; }
    int64_t rowTiles() const { return ceilDivide(rows, kTileQueries); }
    int64_t keyTiles() const { return ceilDivide(keys, kTileKeys); }

    /// The rows of tile `rowTile` of a matrix; no keys yet.
    AttentionTile tile(int64_t matrix, int64_t rowTile) const {
        AttentionTile tile{.batch = matrix / groups};
        const int64_t first = rowTile * kTileQueries;
        tile.rows = std::min(kTileQueries, rows - first);
        for (int64_t i = 0; i < tile.rows; ++i) {
            const auto at = static_cast<size_t>(i);
            tile.heads[at] = matrix % groups * headsPerGroup + (first + i) / queries;
            tile.queries[at] = (first + i) % queries;
        }
        return tile;
    }
    void setKeys(AttentionTile& tile, int64_t keyTile) const {
        tile.firstKey = keyTile * kTileKeys;
        tile.keys = std::min(kTileKeys, keys - tile.firstKey);
    }
};

/// Memory for one task, kept by its thread.
class TileRoom {
public:
    explicit TileRoom(const AttentionShape& shape) {
        thread_local LineAligned memory;
        const int64_t turned = (shape.size + shape.valueSize) * kTileQueries;
        scores = memory.room(4 * kTileSize + turned);
        gradients = scores + kTileSize;
        bias = gradients + kTileSize;
        hidden = bias + kTileSize;
        queries = hidden + kTileSize;
        results = queries + shape.size * kTileQueries;
    }

    float* scores;
    float* gradients;
    float* bias;
    float* hidden;
    float* queries;  ///< transposed
    float* results;  ///< the same of y's gradient
};

/// A tile of scores whose visibility is known.
ScoreTile scoreTile(const RunContext& run, const TileSight& sight, const AttentionTile& tile,
                    TileSight::Seen seen, const TileRoom& room, float softcap) {
    if (sight.hasBias()) sight.fillBias(run, tile, room.bias);
    return {.scores = room.scores,
            .bias = sight.hasBias() ? room.bias : nullptr,
            .hidden = seen == TileSight::Seen::All ? nullptr : room.hidden,
            .keys = tile.keys,
            .rows = tile.rows,
            .softcap = softcap};
}

/// Source: Dao, "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning"
/// (2023), algorithm 1: each block of queries goes through the blocks of keys and carries for each
/// row the maximum m, the sum of exponentials l and the sum of values. m and l are kept: in the
/// paper's L = m + log(l), log(l) is lost if m is large.
class ForwardKernel final : public Kernel {
public:
    explicit ForwardKernel(const PrepareContext& context)
        : shape_(context, 0), sight_(context, names::kForwardSeen, shape_.scores()) {
        isLearned_ = context.hasOutput(1) && context.hasOutput(2);
        const int64_t perRow = 2 * shape_.keys * (shape_.size + shape_.valueSize);
        traits_.flops = perRow * shape_.matrices() * shape_.rows;
        grain_ = std::max<int64_t>(1, kFlopsPerTask / (perRow * kTileQueries));
    }

    void run(const RunContext& run) const override {
        const int64_t tiles = shape_.matrices() * shape_.rowTiles();
        run.pool().forRanges(tiles, grain_, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) computeRows(run, i);
        });
    }

private:
    void computeRows(const RunContext& run, int64_t task) const {
        const int64_t matrix = task / shape_.rowTiles(), rowTile = task % shape_.rowTiles();
        AttentionTile tile = shape_.tile(matrix, rowTile);
        const int64_t firstRow = matrix * shape_.rows + rowTile * kTileQueries;
        const TileRoom room(shape_);
        turnRows(run.in<float>(0) + firstRow * shape_.size, tile.rows, shape_.size, shape_.scale,
                 room.queries);
        float* y = run.out<float>(0) + firstRow * shape_.valueSize;
        std::fill_n(y, tile.rows * shape_.valueSize, 0.0F);
        Lanes maxima, sums{}, blind, fading;
        maxima.fill(std::numeric_limits<float>::lowest());
        blind.fill(1);
        const SoftmaxState state{maxima.data(), sums.data(), blind.data(), fading.data()};
        for (int64_t keyTile = 0; keyTile < shape_.keyTiles(); ++keyTile) {
            shape_.setKeys(tile, keyTile);
            addKeys(run, tile, matrix, room, state, y);
        }
        finish(run, matrix, firstRow, tile.rows, state, y);
    }

    void addKeys(const RunContext& run, const AttentionTile& tile, int64_t matrix,
                 const TileRoom& room, const SoftmaxState& state, float* y) const {
        const TileSight::Seen seen = sight_.fillHidden(run, tile, room.hidden);
        if (seen == TileSight::Seen::None) return;
        const int64_t firstKey = matrix * shape_.keys + tile.firstKey;
        multiplyIntoTile(run.in<float>(1) + firstKey * shape_.size, room.queries, tile, shape_.size,
                         room.scores);
        continueSoftmax(scoreTile(run, sight_, tile, seen, room, shape_.softcap), state);
        const int64_t size = shape_.valueSize;
        for (int64_t row = 0; row < tile.rows; ++row) {
            const float factor = state.fading[row];
            if (factor != 1) simd::scale(y + row * size, factor, y + row * size, size);
        }
        addByRows(room.scores, run.in<float>(2) + firstKey * size, tile, size, y);
    }

    void finish(const RunContext& run, int64_t matrix, int64_t firstRow, int64_t rows,
                const SoftmaxState& state, float* y) const {
        const int64_t size = shape_.valueSize;
        for (int64_t row = 0; row < rows; ++row) {
            float* values = y + row * size;
            const bool isBlind = state.blind[row] != 0;
            if (isBlind) {
                writeBlind(run.in<float>(2) + matrix * shape_.keys * size, values);
            } else {
                simd::scale(values, 1 / state.sums[row], values, size);
            }
            if (!isLearned_) continue;
            run.out<float>(1)[firstRow + row] = isBlind ? kBlindMaximum : state.maxima[row];
            run.out<float>(2)[firstRow + row] = state.sums[row];
        }
    }

    /// Writes the result of a query that sees no key, from all values.
    void writeBlind(const float* values, float* y) const {
        std::fill_n(y, shape_.valueSize, 0.0F);
        if (shape_.blind == names::Blind::Zeros) return;
        simd::addRows(values, shape_.keys, shape_.valueSize, y, shape_.valueSize);
        simd::scale(y, shape_.blindShare(), y, shape_.valueSize);
    }

    AttentionShape shape_;
    TileSight sight_;
    bool isLearned_ = false;
    int64_t grain_ = 1;
};

/// Source: Dao, "FlashAttention-2" (2023), algorithm 2: D = rowsum(dO O), then for each block of
/// keys and of queries P = exp(S - m) / l, dV += PT dO, dS = P (dO VT - D), dQ += dS K, dK += dST
/// Q. A task processes every n-th block of keys of a head and adds to its own dQ.
class BackwardKernel final : public Kernel {
public:
    explicit BackwardKernel(const PrepareContext& context)
        : shape_(context, 1), sight_(context, names::kBackwardSeen, shape_.scores()) {
        requireResults(context);
        for (size_t i = 0; i < wants_.size(); ++i) wants_[i] = context.hasOutput(i);
        parts_ = std::clamp<int64_t>(ceilDivide(kWantedTasks, shape_.matrices()), 1,
                                     std::min(kMaxParts, shape_.keyTiles()));
        const int64_t perScore = 2 * (3 * shape_.size + 2 * shape_.valueSize);
        traits_.flops = perScore * shape_.matrices() * shape_.rows * shape_.keys;
        ScratchLayout scratch;
        const auto rows = static_cast<size_t>(shape_.matrices() * shape_.rows);
        sums_ = scratch.add(rows * sizeof(float));
        queries_ = rows * static_cast<size_t>(shape_.size);
        ownQueries_ = scratch.add(
            wants_[0] && parts_ > 1 ? queries_ * static_cast<size_t>(parts_) * sizeof(float) : 0);
        traits_.scratchBytes = scratch.bytes();
    }

    void run(const RunContext& run) const override {
        sumProducts(run);
        run.pool().forEach(shape_.matrices() * parts_, [&](int64_t task) {
            const int64_t matrix = task / parts_, part = task % parts_;
            float* dq = wants_[0] ? queriesOf(run, matrix, part) : nullptr;
            if (dq != nullptr) std::fill_n(dq, shape_.rows * shape_.size, 0.0F);
            for (int64_t keyTile = part; keyTile < shape_.keyTiles(); keyTile += parts_)
                computeKeys(run, matrix, keyTile, dq);
        });
        if (wants_[0] && parts_ > 1) addParts(run);
    }

private:
    /// y, its gradient, maxima and sums as the forward operator computes them.
    void requireResults(const PrepareContext& context) const {
        Shape y = context.input(3).shape;
        y[y.size() - 2] = shape_.rows;
        const Shape rows(y.begin(), y.end() - 1);
        for (const auto& [input, expected] :
             {std::pair<size_t, Shape>{0, y}, std::pair<size_t, Shape>{4, y},
              std::pair<size_t, Shape>{5, rows}, std::pair<size_t, Shape>{6, rows}}) {
            context.requireDType(input, DType::Float32);
            const Shape& found = context.input(input).shape;
            if (found == expected) continue;
            context.fail(ErrorCode::InvalidInput, "Input " + std::to_string(input) +
                                                      " has the shape " + formatShape(found) +
                                                      "; expected " + formatShape(expected) + ".");
        }
    }

    float* sums(const RunContext& run) const {
        return reinterpret_cast<float*>(run.scratch() + sums_);
    }

    /// Where a task adds up the gradient of the queries of a matrix.
    float* queriesOf(const RunContext& run, int64_t matrix, int64_t part) const {
        const auto within = matrix * shape_.rows * shape_.size;
        if (parts_ == 1) return run.out<float>(0) + within;
        return reinterpret_cast<float*>(run.scratch() + ownQueries_) +
               part * static_cast<int64_t>(queries_) + within;
    }

    void sumProducts(const RunContext& run) const {
        const float *dy = run.in<float>(0), *y = run.in<float>(4);
        const int64_t size = shape_.valueSize;
        float* to = sums(run);
        run.pool().forRanges(
            shape_.matrices() * shape_.rows, kTileQueries * 8, [=](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row)
                    to[row] = static_cast<float>(simd::dot(dy + row * size, y + row * size, size));
            });
    }

    void addParts(const RunContext& run) const {
        const auto count = static_cast<int64_t>(queries_);
        constexpr int64_t kGrain = 1 << 14;
        run.pool().forRanges(count, kGrain, [&](int64_t begin, int64_t end) {
            float* dq = run.out<float>(0) + begin;
            const float* from = queriesOf(run, 0, 0) + begin;
            std::copy_n(from, end - begin, dq);
            simd::addRows(from + count, parts_ - 1, count, dq, end - begin);
        });
    }

    void computeKeys(const RunContext& run, int64_t matrix, int64_t keyTile, float* dq) const {
        const int64_t firstKey = matrix * shape_.keys + keyTile * kTileKeys;
        const int64_t keys = std::min(kTileKeys, shape_.keys - keyTile * kTileKeys);
        for (const size_t i : {1, 2}) {
            const int64_t columns = i == 1 ? shape_.size : shape_.valueSize;
            if (wants_[i])
                std::fill_n(run.out<float>(i) + firstKey * columns, keys * columns, 0.0F);
        }
        for (int64_t rowTile = 0; rowTile < shape_.rowTiles(); ++rowTile) {
            AttentionTile tile = shape_.tile(matrix, rowTile);
            shape_.setKeys(tile, keyTile);
            const int64_t firstRow = rowTile * kTileQueries;
            addTile(run, tile, matrix * shape_.rows + firstRow, firstKey,
                    dq == nullptr ? nullptr : dq + firstRow * shape_.size);
        }
    }

    void addTile(const RunContext& run, const AttentionTile& tile, int64_t firstRow,
                 int64_t firstKey, float* dq) const {
        Lanes maxima{}, shares{}, products{};
        std::copy_n(run.in<float>(5) + firstRow, tile.rows, maxima.begin());
        for (int64_t row = 0; row < tile.rows; ++row)
            shares[static_cast<size_t>(row)] = 1 / run.in<float>(6)[firstRow + row];
        std::copy_n(sums(run) + firstRow, tile.rows, products.begin());
        const TileRoom room(shape_);
        const TileSight::Seen seen = sight_.fillHidden(run, tile, room.hidden);
        if (seen == TileSight::Seen::None) {
            // Rows without any key may still yield the mean of all values.
            const bool anyIsBlind = std::ranges::find(maxima, kBlindMaximum) != maxima.end();
            if (!anyIsBlind || shape_.blind == names::Blind::Zeros) return;
            std::fill_n(room.hidden, tile.keys * kTileQueries, 1.0F);
        }
        const int64_t size = shape_.size, valueSize = shape_.valueSize;
        const float *dy = run.in<float>(0) + firstRow * valueSize,
                    *q = run.in<float>(1) + firstRow * size,
                    *k = run.in<float>(2) + firstKey * size,
                    *v = run.in<float>(3) + firstKey * valueSize;
        turnRows(q, tile.rows, size, shape_.scale, room.queries);
        turnRows(dy, tile.rows, valueSize, 1, room.results);
        multiplyIntoTile(k, room.queries, tile, size, room.scores);
        multiplyIntoTile(v, room.results, tile, valueSize, room.gradients);
        scoreGradients(scoreTile(run, sight_, tile, seen, room, shape_.softcap),
                       {maxima.data(), shares.data(), products.data(), shape_.blindShare(),
                        shape_.blindLearn(), shape_.scale},
                       room.gradients);
        if (wants_[2])
            addByKeys(room.scores, dy, tile, valueSize, run.out<float>(2) + firstKey * valueSize);
        if (wants_[1])
            addByKeys(room.gradients, q, tile, size, run.out<float>(1) + firstKey * size);
        if (dq != nullptr) addByRows(room.gradients, k, tile, size, dq);
    }

    AttentionShape shape_;
    TileSight sight_;
    std::array<bool, 3> wants_{};
    int64_t parts_ = 1;
    size_t sums_ = 0;
    size_t queries_ = 0;  ///< numbers of all queries
    size_t ownQueries_ = 0;
};

/// Goes through the keys of a query until one is seen.
std::unique_ptr<Kernel> prepareSeesAny(const PrepareContext& context) {
    const Shape& shape = context.output(0).shape;
    if (shape.size() > 4) {
        context.fail(ErrorCode::InvalidInput, "The result has the shape " + formatShape(shape) +
                                                  "; expected at most four dimensions.");
    }
    Shape sizes(4 - shape.size(), 1);
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    for (size_t i = 0; i < context.inputCount(); ++i) {
        if (context.hasInput(i) && !context.input(i).shape.empty())
            sizes[3] = std::max(sizes[3], context.input(i).shape.back());
    }
    const TileSight sight(context, names::kSeesAnySeen, sizes);
    const int64_t keys = sizes[3];
    const int64_t queries = sizes[2], matrices = sizes[0] * sizes[1], heads = sizes[1];
    return makeKernel([=](const RunContext& run) {
        const int64_t tiles = ceilDivide(queries, kTileQueries);
        run.pool().forEach(matrices * tiles, [&](int64_t task) {
            const int64_t first = task % tiles * kTileQueries, matrix = task / tiles;
            AttentionTile tile{.batch = matrix / heads};
            tile.rows = std::min(kTileQueries, queries - first);
            tile.heads.fill(matrix % heads);
            for (int64_t row = 0; row < tile.rows; ++row)
                tile.queries[static_cast<size_t>(row)] = first + row;
            std::array<float, kTileSize> hidden;
            bool* any = run.out<bool>(0) + matrix * queries + first;
            std::fill_n(any, tile.rows, false);
            for (tile.firstKey = 0; tile.firstKey < keys; tile.firstKey += kTileKeys) {
                if (std::all_of(any, any + tile.rows, [](bool sees) { return sees; })) return;
                tile.keys = std::min(kTileKeys, keys - tile.firstKey);
                const TileSight::Seen seen = sight.fillHidden(run, tile, hidden.data());
                if (seen == TileSight::Seen::None) continue;
                for (int64_t row = 0; row < tile.rows; ++row) {
                    for (int64_t key = 0; key < tile.keys && !any[row]; ++key) {
                        any[row] = seen == TileSight::Seen::All ||
                                   hidden[static_cast<size_t>(key * kTileQueries + row)] == 0;
                    }
                }
            }
        });
    });
}

}  // namespace

void registerBlockAttentionKernels(KernelRegistry& kernels) {
    kernels.add(names::kDomain, names::kForward, [](const PrepareContext& context) {
        return std::make_unique<ForwardKernel>(context);
    });
    kernels.add(names::kDomain, names::kBackward, [](const PrepareContext& context) {
        return std::make_unique<BackwardKernel>(context);
    });
    kernels.add(names::kDomain, names::kSeesAny, prepareSeesAny);
}

}  // namespace temper
