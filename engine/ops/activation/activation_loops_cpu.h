// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/ops/activation/activation.h"

/// Vectorised loops over float arrays; outputs may be the inputs.
namespace temper::simd {

/// y[i] = f(x[i])
using ActivationLoop = void (*)(const float* x, float* y, int64_t count, ActivationParameters p);

void relu(const float* x, float* y, int64_t count, ActivationParameters p);
void leakyRelu(const float* x, float* y, int64_t count, ActivationParameters p);
void elu(const float* x, float* y, int64_t count, ActivationParameters p);
void selu(const float* x, float* y, int64_t count, ActivationParameters p);
void celu(const float* x, float* y, int64_t count, ActivationParameters p);
void hardSigmoid(const float* x, float* y, int64_t count, ActivationParameters p);
void hardSwish(const float* x, float* y, int64_t count, ActivationParameters p);
void softplus(const float* x, float* y, int64_t count, ActivationParameters p);
void softsign(const float* x, float* y, int64_t count, ActivationParameters p);
void mish(const float* x, float* y, int64_t count, ActivationParameters p);
void gelu(const float* x, float* y, int64_t count, ActivationParameters p);
void fastGelu(const float* x, float* y, int64_t count, ActivationParameters p);
void quickGelu(const float* x, float* y, int64_t count, ActivationParameters p);

/// dx[i] = dy[i] f'(x[i]), or in terms of y[i] for reluGrad, sigmoidGrad and tanhGrad.
using BackwardLoop = void (*)(const float* dy, const float* x, float* dx, int64_t count,
                              ActivationParameters p);

void reluGrad(const float* dy, const float* y, float* dx, int64_t count, ActivationParameters p);
void sigmoidGrad(const float* dy, const float* y, float* dx, int64_t count, ActivationParameters p);
void tanhGrad(const float* dy, const float* y, float* dx, int64_t count, ActivationParameters p);
void leakyReluGrad(const float* dy, const float* x, float* dx, int64_t count,
                   ActivationParameters p);
void geluGrad(const float* dy, const float* x, float* dx, int64_t count, ActivationParameters p);
void fastGeluGrad(const float* dy, const float* x, float* dx, int64_t count,
                  ActivationParameters p);
void quickGeluGrad(const float* dy, const float* x, float* dx, int64_t count,
                   ActivationParameters p);

}  // namespace temper::simd
