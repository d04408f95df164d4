// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/conv/conv_passes_cpu.h"

namespace temper {

// Convolutions in which each channel has a kernel of its own, computed by definition. They only
// take as long as it takes to read and write the images, if these need not be rearranged; oneDNN
// has blocks of 8 channels without AVX-512.

/// Whether the passes apply: blocks of channels, rows of 3 or 5 taps, stride 1 or 2.
bool suitsDepthwise(const ConvGeometry& geometry);

// For convolutions that they suit.

std::shared_ptr<const ConvDataPass> makeDepthwiseDataPass(const ConvGeometry& geometry,
                                                          ConvDataPass::Direction direction,
                                                          ConvForm form);
std::shared_ptr<const ConvWeightsPass> makeDepthwiseWeightsPass(const ConvGeometry& geometry,
                                                                ConvForm form);

}  // namespace temper
