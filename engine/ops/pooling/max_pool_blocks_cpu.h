// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "engine/ops/pooling/pooling.h"
#include "engine/runtime/kernel.h"

namespace temper {

// MaxPool and its gradient for images in blocks of channels (BlockableKernel), float32. Indices
// are those of plain images, and lie in blocks as well.

std::unique_ptr<Kernel> blockedMaxPoolKernel(const PoolGeometry& geometry, bool hasIndices);

/// `in`, `out`: pixels of an image before and behind the pool; `node` names it in errors.
/// Its run() throws: Error(InvalidInput) for an index outside of its image.
std::unique_ptr<Kernel> blockedMaxPoolGradKernel(int64_t planes, int64_t in, int64_t out,
                                                 std::string node);

/// Throws: Error(InvalidInput): an index of MaxPoolGrad does not lie in its image.
[[noreturn]] void failPoolIndex(const std::string& node, int64_t index);

}  // namespace temper
