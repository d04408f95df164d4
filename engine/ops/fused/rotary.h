// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ops/lowered_op.h"

namespace temper {

/// Which numbers of a head are rotated, and how they are paired.
struct Rotation {
    int64_t headSize = 0;
    int64_t turned = 0;          ///< the first ones of each head
    bool isInterleaved = false;  ///< pairs (0, 1), (2, 3), ...; else (0, half), (1, half + 1), ...
};

/// Rotates the first numbers of each head of x, [B, N, S, H] or [B, S, N, H]. Cosines and sines
/// broadcast to x with half as many numbers as are rotated.
/// Source: Su et al., RoFormer (2021), section 3.4.2.
Var turnedHeads(Var x, const Rotation& rotation, Var cosine, Var sine);

}  // namespace temper
