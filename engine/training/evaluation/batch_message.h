// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/tensor.h"

namespace temper {

/// What an evaluation needs of a batch.
struct EvaluatedBatch {
    int64_t samples = 0;
    double loss = 0;         ///< mean over the samples
    Tensor prediction = {};  ///< empty, as the target, if the loss has none
    Tensor target = {};
};

/// For ranks of the same program: bytes as they are in memory.
std::string toMessage(const EvaluatedBatch& batch);
/// The inverse. The tensors have their own memory.
EvaluatedBatch fromMessage(const std::string& message);

}  // namespace temper
