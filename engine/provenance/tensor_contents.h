// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/tensor.h"

namespace temper {

/// Whether all elements are this number.
bool isFilledWith(const Tensor& tensor, float number);
/// Whether all elements are one number.
bool isUniform(const Tensor& tensor);
/// Whether all elements are whole numbers, and not all the same: counts, steps, identities.
bool areWholeNumbers(const Tensor& tensor);
/// Whether it holds coordinates: at each place of some axis, or altogether, the numbers are one or
/// have the same distance, as those of linspace and meshgrid.
bool isGrid(const Tensor& tensor);
/// Whether it is added to scores to hide some: zeros, and numbers far below.
bool isMask(const Tensor& tensor);
/// Whether it encodes positions by sines and cosines, one beside the other or in two halves: such
/// tables are fixed even where a module has them among its parameters.
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.
bool isPositionEncoding(const Tensor& tensor);
/// Whether the squares of both add up to 1 everywhere: sines and cosines of the same angles.
bool areSinesAndCosines(const Tensor& a, const Tensor& b);

}  // namespace temper
