// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper::simd {

/// The numbers of one AdamW step.
struct AdamWStep {
    float lr = 0;
    float beta1 = 0.9F;
    float beta2 = 0.999F;
    float epsilon = 1e-8F;
    float weightDecay = 0.01F;
    float correction1 = 1;  ///< 1 - beta1^step, or 1 without bias correction
    float correction2 = 1;
    /// Decay before the step and epsilon outside the corrected root (as in PyTorch), or decay after
    /// it and epsilon beside the uncorrected root (as in Hugging Face).
    bool decayFirst = true;
};

struct AdamWTensor {
    float* weights;
    const float* gradients;
    float* momentums1;
    float* momentums2;
};

/// Source: Loshchilov & Hutter, Decoupled Weight Decay Regularization (2019), algorithm 2.
void adamW(const AdamWTensor& tensor, int64_t count, const AdamWStep& step);

}  // namespace temper::simd
