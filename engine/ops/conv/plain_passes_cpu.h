// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/ops/conv/conv_passes_cpu.h"

namespace temper {

// Passes for images in blocks of channels that also take plain ones, as `form` says: these are
// copied to scratch memory first, or from it at the end.

std::shared_ptr<const ConvDataPass> withPlainImages(std::unique_ptr<const ConvDataPass> pass,
                                                    const ConvGeometry& geometry,
                                                    ConvDataPass::Direction direction,
                                                    const ConvForm& form);
std::shared_ptr<const ConvWeightsPass> withPlainImages(std::unique_ptr<const ConvWeightsPass> pass,
                                                       const ConvGeometry& geometry,
                                                       const ConvForm& form);

}  // namespace temper
