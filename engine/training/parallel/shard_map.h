// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/distributed/group.h"
#include "engine/training/parallel/gradient_layout.h"

namespace temper {

/// A part of a parameter that one rank owns: it adds up its gradient, has its moments and updates
/// it.
struct ShardPiece {
    size_t gradient = 0;  ///< index in GradientLayout::gradients()
    PartRange numbers;    ///< within the parameter
    int64_t begin = 0;    ///< of the piece in the memory of all gradients
};

/// Which rank owns which numbers, for ZeRO. Parameters are cut at multiples of
/// Device::kNumbersPerSum only, so that norms can be added up as on one rank.
/// Source: Rajbhandari et al., ZeRO: Memory Optimizations Toward Training Trillion Parameter Models
/// (2020). Thread: immutable.
class ShardMap {
public:
    ShardMap(const GradientLayout& layout, int ranks);

    /// Within the bucket: each rank has a run of nearly equal length.
    const ShardBorders& bordersOf(size_t bucket) const { return borders_[bucket]; }
    /// In the order of memory.
    const std::vector<ShardPiece>& piecesOf(int rank) const {
        return pieces_[static_cast<size_t>(rank)];
    }

private:
    std::vector<ShardBorders> borders_;
    std::vector<std::vector<ShardPiece>> pieces_;
};

}  // namespace temper
