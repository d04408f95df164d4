// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/cpu/instruction_set.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Whether a product of bfloat16 numbers with results in float32 (kWideResult) has a
/// kernel. Where the processor does not multiply them, they are widened.
inline bool multipliesNarrow(const PrepareContext& context) {
    if (context.input(0).dtype != DType::BFloat16) return false;
    for (const PrepareContext::Output& output : context.outputs()) {
        if (!output.elements.empty() && output.elements.front().dtype != DType::Float32)
            return false;
    }
    return bfloat16Units() != BFloat16Units::None;
}

}  // namespace temper
