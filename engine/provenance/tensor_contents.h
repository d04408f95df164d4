// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"

namespace temper {

/// Whether all elements are this number.
bool isFilledWith(const Tensor& tensor, float number);
/// Whether all elements are the same number.
bool isUniform(const Tensor& tensor);
/// Whether all elements are integers, and not all the same: counts, steps, identities.
bool areWholeNumbers(const Tensor& tensor);
/// Whether it holds coordinates: at each index of some axis, or over the whole tensor, the numbers
/// are equal or evenly spaced, as those of linspace and meshgrid.
bool isGrid(const Tensor& tensor);
/// Whether it is a mask that is added to scores to hide some: zeros, and numbers far below.
bool isMask(const Tensor& tensor);
/// Whether it encodes positions by sines and cosines, interleaved or in two halves, also if all
/// were scaled and shifted alike: such tables are fixed even if a module has them among its
/// parameters. Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
bool isPositionEncoding(const Tensor& tensor);
/// Whether the squares of both add up to 1 everywhere: sines and cosines of the same angles.
bool areSinesAndCosines(const Tensor& a, const Tensor& b);

}  // namespace temper
