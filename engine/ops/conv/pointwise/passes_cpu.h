// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/conv/conv_passes_cpu.h"

namespace temper {

// Convolutions of 1 x 1: products of each pixel with a matrix. Images are in blocks of channels, or
// are brought into blocks tile by tile; oneDNN has blocks of 8 channels without AVX-512 and would
// rearrange whole images.

/// Whether the passes apply, and the convolution is large enough to benefit.
bool suitsPointwise(const ConvGeometry& geometry);

// For convolutions that they suit.

std::shared_ptr<const ConvDataPass> makePointwiseDataPass(const ConvGeometry& geometry,
                                                          ConvDataPass::Direction direction,
                                                          ConvForm form);
std::shared_ptr<const ConvWeightsPass> makePointwiseWeightsPass(const ConvGeometry& geometry,
                                                                ConvForm form);

}  // namespace temper
