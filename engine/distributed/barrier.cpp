// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/barrier.h"

#include <cstddef>
#include <memory>
#include <span>

namespace temper {
namespace {

constexpr std::byte kSign{};

}  // namespace

/// Source: Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (1988), the
/// dissemination barrier: log2(n) rounds.
std::vector<Round> barrierRounds(int rank, int size) {
    std::vector<Round> rounds;
    for (int distance = 1; distance < size; distance *= 2) {
        const int to = (rank + distance) % size, from = (rank + size - distance) % size;
        const auto sign = std::make_shared<std::byte>();
        rounds.push_back({.outgoing = {{to, std::span(&kSign, 1)}},
                          .incoming = {{from, std::span(sign.get(), 1)}},
                          .then = [sign] {}});
    }
    return rounds;
}

}  // namespace temper
