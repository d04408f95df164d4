// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ops/activation/activation.h"

/// Vectorized loops over float arrays; outputs may be the inputs.
namespace temper::simd {

enum class Activation {
    Relu,
    LeakyRelu,
    Elu,
    Selu,
    Celu,
    HardSigmoid,
    HardSwish,
    Softplus,
    Softsign,
    Mish,
    Gelu,
    FastGelu,
    QuickGelu,
};

/// y[i] = f(x[i])
void activate(Activation function, const float* x, float* y, int64_t count, ActivationParameters p);

/// Those of relu, sigmoid and tanh are in terms of y instead of x.
enum class ActivationGradient {
    ReluGrad,
    SigmoidGrad,
    TanhGrad,
    LeakyReluGrad,
    HardSwishGrad,
    GeluGrad,
    FastGeluGrad,
    QuickGeluGrad,
};

/// dx[i] = dy[i] f'(x[i])
void activationBackward(ActivationGradient gradient, const float* dy, const float* x, float* dx,
                        int64_t count, ActivationParameters p);

}  // namespace temper::simd
