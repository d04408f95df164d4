// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/runtime/kernel.h"

namespace temper {

/// The product of float images [N, C, H, W] with a number for each channel or for each sample, such
/// as [N, C, 1, 1] of squeeze and excitation, which also exists for images in blocks of channels;
/// null for other shapes.
std::unique_ptr<Kernel> makeChannelScaling(const PrepareContext& context);

}  // namespace temper
