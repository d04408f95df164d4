// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/runtime/kernel.h"

namespace temper {

/// The sums, or means, of the channels of float images [N, C, H, W], which also exist for images in
/// blocks of channels, with the same bits; null if these can't be.
std::unique_ptr<Kernel> makePlaneSum(const PrepareContext& context, bool isMean);

}  // namespace temper
