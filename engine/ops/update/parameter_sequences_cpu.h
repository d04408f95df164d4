// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/runtime/kernel.h"

namespace temper {

/// A part of one tensor of a sequence.
struct Chunk {
    size_t element = 0;
    int64_t begin = 0;
    int64_t count = 0;
};

/// All tensors of a sequence in parts of equal size.
std::vector<Chunk> chunksOf(const std::vector<TensorType>& types);

// What the factories of optimizer kernels require; each throws Error naming node and input.

void requireFloats(const PrepareContext& context, size_t sequence);
/// Element k of both sequences belongs to the same parameter.
void requireAlike(const PrepareContext& context, size_t first, size_t other);
void requireScalar(const PrepareContext& context, size_t input, DType dtype);

/// 1 - beta^step, the power in double precision as ORT's kernel computes it.
float correctionOf(float beta, int64_t step);

}  // namespace temper
