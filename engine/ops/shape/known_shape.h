// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/autodiff/gradient.h"

namespace temper {

/// The shape of x as an int64 vector: a constant if it is known, else computed by Shape.
Var knownShape(Var x);

/// `gradient` reshaped to the shape of `x`: a constant target (with at most one -1) if the type
/// allows it, so that x itself is not needed.
Var reshapeBack(Var gradient, Var x);

/// Zeros of the type of x.
Var zerosLike(Var x);

/// The integers of an initializer; nullopt for other values.
std::optional<std::vector<int64_t>> knownIntegers(Var x);

}  // namespace temper
