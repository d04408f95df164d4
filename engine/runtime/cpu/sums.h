// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace temper {

/// The order of sumOver().
struct SumOrder {
    static constexpr int64_t kLanes = 8;
    static constexpr int64_t kBlock = 512;
};

/// Sum of f(i) over [0, count): each block is summed in eight lanes of T, blocks are added in
/// double. The order of the additions depends only on `count`.
template <typename T, typename F>
double sumOver(int64_t count, F&& f) {
    double total = 0;
    for (int64_t begin = 0; begin < count; begin += SumOrder::kBlock) {
        const int64_t end = std::min(begin + SumOrder::kBlock, count);
        std::array<T, SumOrder::kLanes> lanes{};
        int64_t i = begin;
        for (; i + SumOrder::kLanes <= end; i += SumOrder::kLanes) {
            for (int64_t lane = 0; lane < SumOrder::kLanes; ++lane) lanes[lane] += f(i + lane);
        }
        for (int64_t lane = 0; i < end; ++i, ++lane) lanes[lane] += f(i);
        for (const T lane : lanes) total += static_cast<double>(lane);
    }
    return total;
}

}  // namespace temper
