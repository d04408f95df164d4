// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "engine/ops/pooling/pooling.h"
#include "engine/runtime/kernel.h"

namespace temper {

// MaxPool and its gradient for images in blocks of channels (BlockableKernel), float32. Indices are
// those of plain images, and are in blocks, too.

std::unique_ptr<Kernel> blockedMaxPoolKernel(const PoolGeometry& geometry, bool hasIndices);

/// Windows over the rows and columns of an image that share no taps and have all taps inside.
struct WindowsApart {
    std::array<WindowAxis, 2> axes;

    /// Whether each pixel is a tap.
    bool coverImage() const;
    /// The windows of MaxPoolGrad's attributes; empty if they are not apart or don't fit.
    static std::optional<WindowsApart> of(const WindowAttributes& window, const Shape& image,
                                          const Shape& outputs);
};

/// `in`, `out`: pixels of an image before and after the pool; `node` names it in errors. With
/// `windows`, indices that are taps of their windows are faster.
/// Its run() throws: Error(InvalidInput) if an index is outside its image.
std::unique_ptr<Kernel> blockedMaxPoolGradKernel(int64_t planes, int64_t in, int64_t out,
                                                 std::optional<WindowsApart> windows,
                                                 std::string node);

/// Throws: Error(InvalidInput): an index of MaxPoolGrad is outside its image.
[[noreturn]] void failPoolIndex(const std::string& node, int64_t index);

}  // namespace temper
