// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace temper {

/// Alignment of every buffer in bytes: a cache line, and the widest vector register.
inline constexpr size_t kBufferAlignment = 64;

/// A buffer that is needed from step `first` to step `last`, both included.
struct Lifetime {
    size_t bytes = 0;
    uint32_t first = 0;
    uint32_t last = 0;
};

struct MemoryLayout {
    std::vector<size_t> offsets;  ///< one per lifetime, multiples of kBufferAlignment
    size_t bytes = 0;             ///< size of the arena
};

/// Places buffers in one arena so that those alive together do not overlap: larger ones first, each
/// into the smallest gap that holds it.
/// Source: Pisarchyk & Lee, Efficient Memory Management for Deep Neural Net Inference (2020),
/// "greedy by size". If thousands of buffers leave so many gaps that this would take too long, they
/// are placed in the order of the steps instead, each into the smallest gap of its time: the arena
/// may then be larger. Which of the two applies follows only from the lifetimes.
MemoryLayout planMemory(std::span<const Lifetime> lifetimes);

}  // namespace temper
