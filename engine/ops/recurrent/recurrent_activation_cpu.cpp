// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/recurrent/recurrent_activation_cpu.h"

#include <algorithm>
#include <cmath>

#include "engine/ops/simd_cpu.h"

namespace temper {
namespace {

void sigmoid(float* x, int64_t count) { simd::sigmoid(x, x, count); }
void sigmoid(double* x, int64_t count) {
    std::transform(x, x + count, x, [](double v) { return 1.0 / (1.0 + std::exp(-v)); });
}

void tanh(float* x, int64_t count) { simd::tanh(x, x, count); }
void tanh(double* x, int64_t count) {
    std::transform(x, x + count, x, [](double v) { return std::tanh(v); });
}

template <typename T, typename F>
void apply(T* x, int64_t count, F f) {
    std::transform(x, x + count, x, f);
}

template <typename T>
void scaledTanh(T* x, int64_t count, T alpha, T beta) {
    apply(x, count, [beta](T v) { return beta * v; });
    tanh(x, count);
    apply(x, count, [alpha](T v) { return alpha * v; });
}

/// Without overflow for large numbers.
template <typename T>
T softplus(T v) {
    return std::max(v, T{0}) + std::log1p(std::exp(-std::abs(v)));
}

}  // namespace

template <typename T>
ActivationLoop<T>::ActivationLoop(const RecurrentActivation& activation, std::optional<float> clip)
    : kind_(activation.kind),
      alpha_(static_cast<T>(activation.alpha)),
      beta_(static_cast<T>(activation.beta)) {
    if (clip) clip_ = static_cast<T>(*clip);
}

template <typename T>
void ActivationLoop<T>::operator()(T* x, int64_t count) const {
    const T alpha = alpha_, beta = beta_, zero{0}, one{1};
    if (clip_) apply(x, count, [c = *clip_](T v) { return v < -c ? -c : v > c ? c : v; });
    switch (kind_) {
        case ActivationKind::Sigmoid: return sigmoid(x, count);
        case ActivationKind::Tanh: return tanh(x, count);
        case ActivationKind::Relu: return apply(x, count, [=](T v) { return v < zero ? zero : v; });
        case ActivationKind::Affine: return apply(x, count, [=](T v) { return alpha * v + beta; });
        case ActivationKind::LeakyRelu:
            return apply(x, count, [=](T v) { return v < zero ? alpha * v : v; });
        case ActivationKind::ThresholdedRelu:
            return apply(x, count, [=](T v) { return v <= alpha ? zero : v; });
        case ActivationKind::ScaledTanh: return scaledTanh(x, count, alpha, beta);
        case ActivationKind::HardSigmoid:
            return apply(x, count, [=](T v) { return std::clamp(alpha * v + beta, zero, one); });
        case ActivationKind::Elu:
            return apply(x, count, [=](T v) { return v < zero ? alpha * std::expm1(v) : v; });
        case ActivationKind::Softsign:
            return apply(x, count, [=](T v) { return v / (one + std::abs(v)); });
        case ActivationKind::Softplus: return apply(x, count, softplus<T>);
    }
}

template class ActivationLoop<float>;
template class ActivationLoop<double>;

}  // namespace temper
