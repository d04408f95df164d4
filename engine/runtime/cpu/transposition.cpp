// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/transposition.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/runtime/cpu/transposition.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Element (0, 0) of a matrix, and the distance of its rows.
struct Source {
    const float* at;
    int64_t stride;
};
struct Target {
    float* at;
    int64_t stride;
};

HWY_INLINE void transposeElements(Source from, int64_t rows, int64_t columns, Target to) {
    for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < columns; ++j)
            to.at[j * to.stride + i] = from.at[i * from.stride + j];
    }
}

#if HWY_TARGET == HWY_SCALAR

constexpr int64_t kSide = 1;

HWY_INLINE void transposeSquare(Source from, Target to) { *to.at = *from.at; }

#else

constexpr int64_t kSide = 4;

HWY_INLINE void transposeSquare(Source from, Target to) {
    const hn::FixedTag<float, kSide> d;
    const hn::RepartitionToWide<decltype(d)> pairs;
    const auto row = [&](int64_t i) HWY_ATTR { return hn::LoadU(d, from.at + i * from.stride); };
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, row(0), row(1)));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, row(2), row(3)));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, row(0), row(1)));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, row(2), row(3)));
    const auto store = [&](int64_t i, auto v)
                           HWY_ATTR { hn::StoreU(hn::BitCast(d, v), d, to.at + i * to.stride); };
    store(0, hn::InterleaveLower(pairs, low01, low23));
    store(1, hn::InterleaveUpper(pairs, low01, low23));
    store(2, hn::InterleaveLower(pairs, high01, high23));
    store(3, hn::InterleaveUpper(pairs, high01, high23));
}

#endif

void transposeLoop(const float* matrix, int64_t rowStride, int64_t rows, int64_t columns,
                   float* result, int64_t resultStride) {
    // A cache line of each row is used up while it is in the cache.
    constexpr int64_t kColumnsAtOnce = 16;
    const int64_t evenRows = rows / kSide * kSide, evenColumns = columns / kSide * kSide;
    const auto source = [&](int64_t row, int64_t column) {
        return Source{matrix + row * rowStride + column, rowStride};
    };
    const auto target = [&](int64_t row, int64_t column) {
        return Target{result + column * resultStride + row, resultStride};
    };
    for (int64_t first = 0; first < evenColumns; first += kColumnsAtOnce) {
        const int64_t end = std::min(first + kColumnsAtOnce, evenColumns);
        for (int64_t row = 0; row < evenRows; row += kSide) {
            for (int64_t column = first; column < end; column += kSide)
                transposeSquare(source(row, column), target(row, column));
        }
    }
    transposeElements(source(0, evenColumns), evenRows, columns - evenColumns,
                      target(0, evenColumns));
    transposeElements(source(evenRows, 0), rows - evenRows, columns, target(evenRows, 0));
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(transposeLoop);
}  // namespace

void transposeMatrix(const float* from, int64_t rowStride, int64_t rows, int64_t columns, float* to,
                     int64_t toStride) {
    HWY_DYNAMIC_DISPATCH(transposeLoop)(from, rowStride, rows, columns, to, toStride);
}

}  // namespace temper
#endif
