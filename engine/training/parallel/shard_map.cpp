// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/shard_map.h"

#include <algorithm>
#include <cstdlib>

#include "engine/runtime/device.h"

namespace temper {
namespace {

constexpr int64_t kUnit = Device::kNumbersPerSum;

/// Where the numbers of a bucket may be cut, in its coordinates.
std::vector<int64_t> cutsOf(const GradientBucket& bucket, const GradientLayout& layout) {
    std::vector<int64_t> cuts{0};
    for (const LaidOutGradient& gradient : layout.gradients()) {
        if (gradient.numbers.begin < bucket.numbers.begin ||
            gradient.numbers.end > bucket.numbers.end)
            continue;
        const int64_t begin = gradient.numbers.begin - bucket.numbers.begin;
        for (int64_t at = 0; at < gradient.numbers.count(); at += kUnit) cuts.push_back(begin + at);
    }
    cuts.push_back(bucket.numbers.count());
    return cuts;
}

/// The cut that is closest to equal shards.
int64_t nearestCut(const std::vector<int64_t>& cuts, int64_t at) {
    const auto above = std::ranges::lower_bound(cuts, at);
    if (above == cuts.begin()) return *above;
    return at - *std::prev(above) < *above - at ? *std::prev(above) : *above;
}

}  // namespace

ShardMap::ShardMap(const GradientLayout& layout, int ranks) : pieces_(static_cast<size_t>(ranks)) {
    for (const GradientBucket& bucket : layout.buckets()) {
        const std::vector<int64_t> cuts = cutsOf(bucket, layout);
        ShardBorders& borders = borders_.emplace_back();
        for (int rank = 0; rank <= ranks; ++rank)
            borders.push_back(nearestCut(cuts, bucket.numbers.count() * rank / ranks));
    }
    for (size_t i = layout.buckets().size(); i-- > 0;) {
        const int64_t base = layout.buckets()[i].numbers.begin;
        for (size_t rank = 0; rank < pieces_.size(); ++rank) {
            const PartRange mine{base + borders_[i][rank], base + borders_[i][rank + 1]};
            for (size_t g = 0; g < layout.gradients().size(); ++g) {
                const PartRange numbers = layout.gradients()[g].numbers;
                const int64_t begin = std::max(numbers.begin, mine.begin);
                const int64_t end = std::min(numbers.end, mine.end);
                if (begin >= end) continue;
                pieces_[rank].push_back({g, {begin - numbers.begin, end - numbers.begin}, begin});
            }
        }
    }
}

}  // namespace temper
