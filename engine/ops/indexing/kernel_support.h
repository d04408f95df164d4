// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/core/wrapping.h"
#include "engine/ops/shape/strided_copy.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// How ScatterElements and ScatterND combine an update with the existing value.
enum class Reduction { None, Add, Mul, Max, Min };

/// The attribute `reduction` (opset 16 and later).
Reduction reductionOf(const PrepareContext& context);

/// Calls f with a callable `(T old, T update) -> T` for the reduction.
template <typename T, typename F>
auto withReduction(Reduction reduction, F&& f) {
    // Booleans have no arithmetic: sums are "or", products "and".
    switch (reduction) {
        case Reduction::Add: return f([](T a, T b) { return wrappingAdd(a, b); });
        case Reduction::Mul: return f([](T a, T b) { return wrappingMultiply(a, b); });
        case Reduction::Max: return f([](T a, T b) { return a < b ? b : a; });
        case Reduction::Min: return f([](T a, T b) { return b < a ? b : a; });
        default: break;
    }
    return f([](T, T b) { return b; });
}

}  // namespace temper
