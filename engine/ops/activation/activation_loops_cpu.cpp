// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/activation/activation_loops_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/activation/activation_loops_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

constexpr float kInvSqrt2Pi = 0.39894228040143267794F;
constexpr float kFastGeluScale = 0.79788456080286535588F;  // sqrt(2 / pi)
constexpr float kFastGeluCubic = 0.044715F;

// The parts of the formulas

HWY_INLINE FloatVector expm1Of(FloatTag d, FloatVector x) {
    return keepNaN(x, hn::Expm1(d, hn::Min(x, hn::Set(d, 88.0F))));
}

struct Normal {
    FloatVector cumulative;  ///< (1 + erf(x / sqrt(2))) / 2
    FloatVector bell;        ///< exp(-x^2 / 2)
};

/// The normal distribution; its tail has a relative error of 5e-7 while x^2 < 10.
/// Source: for x > 0, 1 - cumulative = bell P(t), t = 1 / (1 + 0.34 x); P by least squares,
/// weighted for the smallest maximal relative error (3e-8), in float64.
HWY_INLINE Normal normalOf(FloatTag d, FloatVector x) {
    const auto c = [d](float value) HWY_ATTR { return hn::Set(d, value); };
    const FloatVector one = c(1.0F);
    const FloatVector bell = expBelowZero(d, hn::Mul(hn::Mul(x, x), c(-0.5F)));
    const FloatVector t = hn::Div(one, hn::MulAdd(hn::Abs(x), c(0.34F), one));
    FloatVector p = c(-0.0263703987F);
    p = hn::MulAdd(p, t, c(0.140672714F));
    p = hn::MulAdd(p, t, c(-0.275463432F));
    p = hn::MulAdd(p, t, c(0.204733789F));
    p = hn::MulAdd(p, t, c(-0.0463957451F));
    p = hn::MulAdd(p, t, c(0.116035208F));
    p = hn::MulAdd(p, t, c(0.115035042F));
    p = hn::MulAdd(p, t, c(0.136133492F));
    p = hn::MulAdd(p, t, c(0.135619342F));
    const FloatVector tail = hn::Mul(hn::Mul(p, t), bell);
    return {hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail)), bell};
}

/// sqrt(2 / pi) (x + 0.044715 x^3)
HWY_INLINE FloatVector fastGeluArgument(FloatTag d, FloatVector x) {
    const FloatVector cubic = hn::Mul(hn::Mul(x, x), hn::Set(d, kFastGeluCubic));
    return hn::Mul(hn::Mul(x, hn::Set(d, kFastGeluScale)), hn::Add(cubic, hn::Set(d, 1.0F)));
}

// One vector of each function

HWY_INLINE FloatVector reluVector(FloatTag d, FloatVector x, ActivationParameters) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
}

HWY_INLINE FloatVector leakyReluVector(FloatTag d, FloatVector x, ActivationParameters p) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, p.alpha)), x);
}

HWY_INLINE FloatVector eluVector(FloatTag d, FloatVector x, ActivationParameters p) {
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(expm1Of(d, x), hn::Set(d, p.alpha)), x);
}

HWY_INLINE FloatVector seluVector(FloatTag d, FloatVector x, ActivationParameters p) {
    const FloatVector low = hn::Mul(expm1Of(d, x), hn::Set(d, p.alpha));
    return hn::Mul(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), low, x), hn::Set(d, p.beta));
}

HWY_INLINE FloatVector celuVector(FloatTag d, FloatVector x, ActivationParameters p) {
    const FloatVector alpha = hn::Set(d, p.alpha);
    const FloatVector low = hn::Mul(expm1Of(d, hn::Div(x, alpha)), alpha);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), low, x);
}

HWY_INLINE FloatVector hardSigmoidVector(FloatTag d, FloatVector x, ActivationParameters p) {
    const FloatVector line = hn::Add(hn::Mul(x, hn::Set(d, p.alpha)), hn::Set(d, p.beta));
    return keepNaN(x, hn::Max(hn::Zero(d), hn::Min(hn::Set(d, 1.0F), line)));
}

HWY_INLINE FloatVector hardSwishVector(FloatTag d, FloatVector x, ActivationParameters) {
    const FloatVector line = hn::Add(hn::Mul(x, hn::Set(d, 1.0F / 6.0F)), hn::Set(d, 0.5F));
    const FloatVector gate = hn::Max(hn::Zero(d), hn::Min(hn::Set(d, 1.0F), line));
    return hn::Mul(x, gate);
}

HWY_INLINE FloatVector softplusVector(FloatTag d, FloatVector x, ActivationParameters) {
    return softplusOf(d, x);
}

HWY_INLINE FloatVector softsignVector(FloatTag d, FloatVector x, ActivationParameters) {
    return hn::Div(x, hn::Add(hn::Set(d, 1.0F), hn::Abs(x)));
}

HWY_INLINE FloatVector mishVector(FloatTag d, FloatVector x, ActivationParameters) {
    return hn::Mul(x, tanhOf(d, softplusOf(d, x)));
}

HWY_INLINE FloatVector geluVector(FloatTag d, FloatVector x, ActivationParameters) {
    return hn::Mul(x, normalOf(d, x).cumulative);
}

HWY_INLINE FloatVector fastGeluVector(FloatTag d, FloatVector x, ActivationParameters) {
    const FloatVector half = hn::Mul(x, hn::Set(d, 0.5F));
    return hn::MulAdd(half, tanhOf(d, fastGeluArgument(d, x)), half);
}

HWY_INLINE FloatVector quickGeluVector(FloatTag d, FloatVector x, ActivationParameters p) {
    return hn::Mul(x, sigmoidOf(d, hn::Mul(x, hn::Set(d, p.alpha))));
}

HWY_INLINE FloatVector reluGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                      ActivationParameters) {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), dy);
}

HWY_INLINE FloatVector sigmoidGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                         ActivationParameters) {
    return hn::Mul(dy, hn::Mul(x, hn::Sub(hn::Set(d, 1.0F), x)));
}

HWY_INLINE FloatVector tanhGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                      ActivationParameters) {
    return hn::Mul(dy, hn::Sub(hn::Set(d, 1.0F), hn::Mul(x, x)));
}

HWY_INLINE FloatVector leakyReluGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                           ActivationParameters p) {
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), dy, hn::Mul(dy, hn::Set(d, p.alpha)));
}

HWY_INLINE FloatVector geluGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                      ActivationParameters) {
    const Normal normal = normalOf(d, x);
    // Bounded where the bell is 0, so that an infinite x gives 0, not NaN.
    const FloatVector bounded = hn::Max(hn::Min(x, hn::Set(d, 20.0F)), hn::Set(d, -20.0F));
    const FloatVector density = hn::Mul(normal.bell, hn::Set(d, kInvSqrt2Pi));
    const FloatVector slope = hn::MulAdd(bounded, density, normal.cumulative);
    return hn::Mul(dy, keepNaN(x, slope));
}

HWY_INLINE FloatVector fastGeluGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                          ActivationParameters) {
    // Beyond +-20 the slope is 1 or 0; the bound keeps x^3 (1 - t^2) from being infinity times 0.
    const FloatVector bounded = hn::Max(hn::Min(x, hn::Set(d, 20.0F)), hn::Set(d, -20.0F));
    const FloatVector one = hn::Set(d, 1.0F);
    const FloatVector t = tanhOf(d, fastGeluArgument(d, bounded));
    const FloatVector cube =
        hn::Mul(hn::Mul(bounded, bounded),
                hn::Mul(bounded, hn::Set(d, 3.0F * kFastGeluScale * kFastGeluCubic)));
    const FloatVector inner = hn::MulAdd(bounded, hn::Set(d, kFastGeluScale), cube);
    const FloatVector slope = hn::MulAdd(hn::Sub(one, hn::Mul(t, t)), inner, hn::Add(one, t));
    return hn::Mul(dy, keepNaN(x, hn::Mul(slope, hn::Set(d, 0.5F))));
}

HWY_INLINE FloatVector quickGeluGradVector(FloatTag d, FloatVector dy, FloatVector x,
                                           ActivationParameters p) {
    const FloatVector one = hn::Set(d, 1.0F);
    // Bounded where the slope is 1 or 0, so that an infinite x gives no NaN.
    const FloatVector scaled = hn::Mul(x, hn::Set(d, p.alpha));
    const FloatVector v = hn::Max(hn::Min(scaled, hn::Set(d, 200.0F)), hn::Set(d, -200.0F));
    const FloatVector s = sigmoidOf(d, v);
    const FloatVector slope = hn::Mul(s, hn::MulAdd(v, hn::Sub(one, s), one));
    return hn::Mul(dy, keepNaN(x, slope));
}

// Loops

void reluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return reluVector(d, v, p); }, x);
}

void leakyReluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return leakyReluVector(d, v, p); }, x);
}

void eluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return eluVector(d, v, p); }, x);
}

void seluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return seluVector(d, v, p); }, x);
}

void celuLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return celuVector(d, v, p); }, x);
}

void hardSigmoidLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return hardSigmoidVector(d, v, p); },
        x);
}

void hardSwishLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return hardSwishVector(d, v, p); }, x);
}

void softplusLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return softplusVector(d, v, p); }, x);
}

void softsignLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return softsignVector(d, v, p); }, x);
}

void mishLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return mishVector(d, v, p); }, x);
}

void geluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return geluVector(d, v, p); }, x);
}

void fastGeluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return fastGeluVector(d, v, p); }, x);
}

void quickGeluLoop(const float* x, float* y, int64_t count, ActivationParameters p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return quickGeluVector(d, v, p); }, x);
}

void reluGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                  ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return reluGradVector(d, g, v, p); },
        dy, x);
}

void sigmoidGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                     ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return sigmoidGradVector(d, g, v, p); },
        dy, x);
}

void tanhGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                  ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return tanhGradVector(d, g, v, p); },
        dy, x);
}

void leakyReluGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                       ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return leakyReluGradVector(d, g, v, p); },
        dy, x);
}

void geluGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                  ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return geluGradVector(d, g, v, p); },
        dy, x);
}

void fastGeluGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                      ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return fastGeluGradVector(d, g, v, p); },
        dy, x);
}

void quickGeluGradLoop(const float* dy, const float* x, float* dx, int64_t count,
                       ActivationParameters p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v)
            HWY_ATTR { return quickGeluGradVector(d, g, v, p); },
        dy, x);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(reluLoop);
HWY_EXPORT(leakyReluLoop);
HWY_EXPORT(eluLoop);
HWY_EXPORT(seluLoop);
HWY_EXPORT(celuLoop);
HWY_EXPORT(hardSigmoidLoop);
HWY_EXPORT(hardSwishLoop);
HWY_EXPORT(softplusLoop);
HWY_EXPORT(softsignLoop);
HWY_EXPORT(mishLoop);
HWY_EXPORT(geluLoop);
HWY_EXPORT(fastGeluLoop);
HWY_EXPORT(quickGeluLoop);
HWY_EXPORT(reluGradLoop);
HWY_EXPORT(sigmoidGradLoop);
HWY_EXPORT(tanhGradLoop);
HWY_EXPORT(leakyReluGradLoop);
HWY_EXPORT(geluGradLoop);
HWY_EXPORT(fastGeluGradLoop);
HWY_EXPORT(quickGeluGradLoop);
}  // namespace

namespace simd {

void relu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(reluLoop)(x, y, count, p);
}
void leakyRelu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(leakyReluLoop)(x, y, count, p);
}
void elu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(eluLoop)(x, y, count, p);
}
void selu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(seluLoop)(x, y, count, p);
}
void celu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(celuLoop)(x, y, count, p);
}
void hardSigmoid(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(hardSigmoidLoop)(x, y, count, p);
}
void hardSwish(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(hardSwishLoop)(x, y, count, p);
}
void softplus(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(softplusLoop)(x, y, count, p);
}
void softsign(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(softsignLoop)(x, y, count, p);
}
void mish(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(mishLoop)(x, y, count, p);
}
void gelu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(geluLoop)(x, y, count, p);
}
void fastGelu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(fastGeluLoop)(x, y, count, p);
}
void quickGelu(const float* x, float* y, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(quickGeluLoop)(x, y, count, p);
}
void reluGrad(const float* dy, const float* x, float* dx, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(reluGradLoop)(dy, x, dx, count, p);
}
void sigmoidGrad(const float* dy, const float* x, float* dx, int64_t count,
                 ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(sigmoidGradLoop)(dy, x, dx, count, p);
}
void tanhGrad(const float* dy, const float* x, float* dx, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(tanhGradLoop)(dy, x, dx, count, p);
}
void leakyReluGrad(const float* dy, const float* x, float* dx, int64_t count,
                   ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(leakyReluGradLoop)(dy, x, dx, count, p);
}
void geluGrad(const float* dy, const float* x, float* dx, int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(geluGradLoop)(dy, x, dx, count, p);
}
void fastGeluGrad(const float* dy, const float* x, float* dx, int64_t count,
                  ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(fastGeluGradLoop)(dy, x, dx, count, p);
}
void quickGeluGrad(const float* dy, const float* x, float* dx, int64_t count,
                   ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(quickGeluGradLoop)(dy, x, dx, count, p);
}

}  // namespace simd
}  // namespace temper
#endif
