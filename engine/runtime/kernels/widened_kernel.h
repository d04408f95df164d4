// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/runtime/kernel.h"

namespace temper {

/// Whether an input or output is float16 or bfloat16.
bool usesHalfPrecision(const PrepareContext& context);

/// A kernel for half precision made from the one for float32: inputs are widened, results rounded
/// to nearest. All arithmetic of the operator is done in float32.
/// Throws: Error(Unsupported) if the operator has no kernel for float32 either, or one that changes
/// or passes on the memory of its inputs.
std::unique_ptr<Kernel> prepareWidened(const KernelFactory& factory, const PrepareContext& context);

}  // namespace temper
