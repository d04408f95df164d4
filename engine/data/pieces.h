// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "engine/data/dataset.h"

namespace temper {

/// How many samples of a column are read together when all are read: a few hundred, fewer if they
/// are large.
inline int64_t samplesPerPiece(const Column& column) {
    constexpr int64_t kMax = 256, kMaxBytes = 16 << 20;
    const auto bytes = static_cast<int64_t>(std::max<size_t>(column.bytesPerSample(), 1));
    return std::clamp<int64_t>(kMaxBytes / bytes, 1, kMax);
}

/// The samples of the piece that starts at `begin`.
inline std::vector<int64_t> pieceFrom(const Dataset& data, size_t column, int64_t begin) {
    const int64_t most = samplesPerPiece(data.columns()[column]);
    std::vector<int64_t> samples(static_cast<size_t>(std::min(most, data.size() - begin)));
    std::iota(samples.begin(), samples.end(), begin);
    return samples;
}

/// Calls f(first sample, values) for each piece of the column's samples, or for one in `stride`
/// pieces.
template <typename F>
void forEachPiece(const Dataset& data, size_t column, F&& f, int64_t stride = 1) {
    const int64_t step = samplesPerPiece(data.columns()[column]) * stride;
    for (int64_t begin = 0; begin < data.size(); begin += step)
        f(begin, data.batch(column, pieceFrom(data, column, begin)));
}

}  // namespace temper
