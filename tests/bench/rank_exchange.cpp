// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "engine/distributed/group.h"
#include "engine/distributed/loaded_transport.h"

using namespace temper;

namespace {

constexpr std::array<int64_t, 4> kNumbers = {16, 16 * 1024, 256 * 1024, 1024 * 1024};
constexpr int kRounds = 100;

/// Median of the seconds in which all ranks have the sum of their numbers.
double secondsOf(Group& group, int64_t count) {
    std::vector<float> part(static_cast<size_t>(count), 1.0F), sum(part.size());
    std::vector<double> seconds;
    for (int i = 0; i < kRounds; ++i) {
        group.barrier();
        const auto begin = std::chrono::steady_clock::now();
        group
            .beginAllReduce(0, {.tree = SumTree(group.size(), group.size()),
                                .nodes = {part.data()},
                                .count = count,
                                .result = sum.data()})
            ->wait();
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::nth_element(seconds, seconds.begin() + kRounds / 2);
    return seconds[kRounds / 2];
}

}  // namespace

/// mpirun -np N rank_exchange TRANSPORT: prints bytes and seconds of a bucket of gradients, for
/// buckets of several sizes. tests/bench/rank_costs.py reads it.
int main(int argc, char** argv) {
    if (argc != 2) return 2;
    try {
        Group group([argv] { return openTransport(argv[1]); });
        for (const int64_t count : kNumbers) {
            const double seconds = secondsOf(group, count);
            if (group.isLeader()) std::printf("%ld %.9f\n", static_cast<long>(4 * count), seconds);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
