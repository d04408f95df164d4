// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

// Names of the operators that stand for a Dropout and its gradient in plans: the pass pack-masks
// writes them, engine/ops/random has their types and kernels. They do not occur in files.
namespace temper::mask_bits {

inline constexpr std::string_view kDomain = "temper";

/// y, bits = BitDropout(x, ratio?, training_mode): as Dropout, but the mask is uint8, with eight
/// elements in each number, the first in its lowest bit.
inline constexpr std::string_view kForward = "BitDropout";
/// dx = BitDropoutGrad(dy, bits, ratio?, training_mode?)
inline constexpr std::string_view kBackward = "BitDropoutGrad";

/// Where the mask is.
inline constexpr size_t kMaskOutput = 1, kMaskInput = 1;

}  // namespace temper::mask_bits
