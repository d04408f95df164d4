// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/conv/conv_passes_cpu.h"

namespace temper {

// The gradient of the weights of a network's first layer: images have few channels, and kernels are
// wide. A row of taps is a product of a row of the image with one of the features' gradient, which
// is in blocks of channels. oneDNN has no fast form of it without AVX-512 (13 of 128 GFLOP/s for
// one channel and 4 x 10 taps).

bool suitsFewChannels(const ConvGeometry& geometry);

/// For convolutions that it suits.
std::shared_ptr<const ConvWeightsPass> makeFewChannelsWeightsPass(const ConvGeometry& geometry,
                                                                  ConvForm form);

}  // namespace temper
