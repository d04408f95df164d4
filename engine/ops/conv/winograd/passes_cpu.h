// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/conv/conv_passes_cpu.h"

namespace temper {

// Convolutions by Winograd's algorithm: images become points, each with its own matrix product, and
// points become results; see winograd_tiles_cpu.h. There are 36 products per pair of channels and
// tile, instead of 144 for 4 x 4 results of a 3 x 3 kernel and 100 for 2 x 2 results of a 5 x 5
// one. Rounding errors are up to five times those of the direct form.
//
// Points of weights that fit in a core's cache are computed once, and the tiles are processed in
// groups that fit next to them; those of constant weights are kept. Otherwise the points of all
// tiles are computed first, and each block of weights passes through the cache once: to compute its
// points again takes no longer than to read them, which are four times as many numbers.

/// Whether the algorithm applies (3 x 3 or 5 x 5, stride 1, blocks of channels) and the convolution
/// is large enough to benefit.
bool suitsWinograd(const ConvGeometry& geometry);

// For convolutions that it suits.

std::shared_ptr<const ConvDataPass> makeWinogradDataPass(const ConvGeometry& geometry,
                                                         ConvDataPass::Direction direction,
                                                         ConvForm form);
std::shared_ptr<const ConvWeightsPass> makeWinogradWeightsPass(const ConvGeometry& geometry,
                                                               ConvForm form);

}  // namespace temper
