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

using P = ActivationParameters;

struct Relu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) {
        return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Zero(d), x);
    }
};

struct LeakyRelu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P p) {
        return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, hn::Set(d, p.alpha)), x);
    }
};

struct Elu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P p) {
        return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(expm1Of(d, x), hn::Set(d, p.alpha)),
                              x);
    }
};

struct Selu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P p) {
        const FloatVector low = hn::Mul(expm1Of(d, x), hn::Set(d, p.alpha));
        return hn::Mul(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), low, x), hn::Set(d, p.beta));
    }
};

struct Celu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P p) {
        const FloatVector alpha = hn::Set(d, p.alpha);
        const FloatVector low = hn::Mul(expm1Of(d, hn::Div(x, alpha)), alpha);
        return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), low, x);
    }
};

struct HardSigmoid {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P p) {
        const FloatVector line = hn::Add(hn::Mul(x, hn::Set(d, p.alpha)), hn::Set(d, p.beta));
        return keepNaN(x, hn::Max(hn::Zero(d), hn::Min(hn::Set(d, 1.0F), line)));
    }
};

struct HardSwish {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) {
        const FloatVector line = hn::Add(hn::Mul(x, hn::Set(d, 1.0F / 6.0F)), hn::Set(d, 0.5F));
        const FloatVector gate = hn::Max(hn::Zero(d), hn::Min(hn::Set(d, 1.0F), line));
        return hn::Mul(x, gate);
    }
};

struct Softplus {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) { return softplusOf(d, x); }
};

struct Softsign {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) {
        return hn::Div(x, hn::Add(hn::Set(d, 1.0F), hn::Abs(x)));
    }
};

struct Mish {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) {
        return hn::Mul(x, tanhOf(d, softplusOf(d, x)));
    }
};

struct Gelu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) {
        return hn::Mul(x, normalOf(d, x).cumulative);
    }
};

struct FastGelu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P) {
        const FloatVector half = hn::Mul(x, hn::Set(d, 0.5F));
        return hn::MulAdd(half, tanhOf(d, fastGeluArgument(d, x)), half);
    }
};

struct QuickGelu {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector x, P p) {
        return hn::Mul(x, sigmoidOf(d, hn::Mul(x, hn::Set(d, p.alpha))));
    }
};

struct ReluGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P) {
        return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), dy);
    }
};

struct SigmoidGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P) {
        return hn::Mul(dy, hn::Mul(x, hn::Sub(hn::Set(d, 1.0F), x)));
    }
};

struct TanhGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P) {
        return hn::Mul(dy, hn::Sub(hn::Set(d, 1.0F), hn::Mul(x, x)));
    }
};

struct LeakyReluGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P p) {
        return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), dy, hn::Mul(dy, hn::Set(d, p.alpha)));
    }
};

struct HardSwishGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P) {
        const FloatVector three = hn::Set(d, 3.0F);
        const FloatVector line = hn::Add(hn::Div(x, three), hn::Set(d, 0.5F));
        const FloatVector slope = hn::IfThenElse(hn::Lt(x, three), hn::Mul(dy, line), dy);
        return hn::IfThenElseZero(hn::Gt(x, hn::Neg(three)), slope);
    }
};

struct GeluGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P) {
        const Normal normal = normalOf(d, x);
        // Bounded where the bell is 0, so that an infinite x gives 0, not NaN.
        const FloatVector bounded = hn::Max(hn::Min(x, hn::Set(d, 20.0F)), hn::Set(d, -20.0F));
        const FloatVector density = hn::Mul(normal.bell, hn::Set(d, kInvSqrt2Pi));
        const FloatVector slope = hn::MulAdd(bounded, density, normal.cumulative);
        return hn::Mul(dy, keepNaN(x, slope));
    }
};

struct FastGeluGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P) {
        // Beyond +-20 the slope is 1 or 0; the bound keeps x^3 (1 - t^2) from being infinity times
        // 0.
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
};

struct QuickGeluGrad {
    static HWY_INLINE FloatVector at(FloatTag d, FloatVector dy, FloatVector x, P p) {
        const FloatVector one = hn::Set(d, 1.0F);
        // Bounded where the slope is 1 or 0, so that an infinite x gives no NaN.
        const FloatVector scaled = hn::Mul(x, hn::Set(d, p.alpha));
        const FloatVector v = hn::Max(hn::Min(scaled, hn::Set(d, 200.0F)), hn::Set(d, -200.0F));
        const FloatVector s = sigmoidOf(d, v);
        const FloatVector slope = hn::Mul(s, hn::MulAdd(v, hn::Sub(one, s), one));
        return hn::Mul(dy, keepNaN(x, slope));
    }
};

// Loops

template <typename Function>
HWY_INLINE void mapWith(const float* x, float* y, int64_t count, P p) {
    mapLanes(
        count, y, [p](FloatTag d, FloatVector v) HWY_ATTR { return Function::at(d, v, p); }, x);
}

template <typename Gradient>
HWY_INLINE void backwardWith(const float* dy, const float* x, float* dx, int64_t count, P p) {
    mapLanes(
        count, dx,
        [p](FloatTag d, FloatVector g, FloatVector v) HWY_ATTR { return Gradient::at(d, g, v, p); },
        dy, x);
}

void activateLoop(simd::Activation function, const float* x, float* y, int64_t count, P p) {
    switch (function) {
        case simd::Activation::Relu: return mapWith<Relu>(x, y, count, p);
        case simd::Activation::LeakyRelu: return mapWith<LeakyRelu>(x, y, count, p);
        case simd::Activation::Elu: return mapWith<Elu>(x, y, count, p);
        case simd::Activation::Selu: return mapWith<Selu>(x, y, count, p);
        case simd::Activation::Celu: return mapWith<Celu>(x, y, count, p);
        case simd::Activation::HardSigmoid: return mapWith<HardSigmoid>(x, y, count, p);
        case simd::Activation::HardSwish: return mapWith<HardSwish>(x, y, count, p);
        case simd::Activation::Softplus: return mapWith<Softplus>(x, y, count, p);
        case simd::Activation::Softsign: return mapWith<Softsign>(x, y, count, p);
        case simd::Activation::Mish: return mapWith<Mish>(x, y, count, p);
        case simd::Activation::Gelu: return mapWith<Gelu>(x, y, count, p);
        case simd::Activation::FastGelu: return mapWith<FastGelu>(x, y, count, p);
        case simd::Activation::QuickGelu: return mapWith<QuickGelu>(x, y, count, p);
    }
}

void backwardLoop(simd::ActivationGradient gradient, const float* dy, const float* x, float* dx,
                  int64_t count, P p) {
    switch (gradient) {
        case simd::ActivationGradient::ReluGrad: return backwardWith<ReluGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::SigmoidGrad:
            return backwardWith<SigmoidGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::TanhGrad: return backwardWith<TanhGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::LeakyReluGrad:
            return backwardWith<LeakyReluGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::HardSwishGrad:
            return backwardWith<HardSwishGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::GeluGrad: return backwardWith<GeluGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::FastGeluGrad:
            return backwardWith<FastGeluGrad>(dy, x, dx, count, p);
        case simd::ActivationGradient::QuickGeluGrad:
            return backwardWith<QuickGeluGrad>(dy, x, dx, count, p);
    }
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(activateLoop);
HWY_EXPORT(backwardLoop);
}  // namespace

namespace simd {

void activate(Activation function, const float* x, float* y, int64_t count,
              ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(activateLoop)(function, x, y, count, p);
}

void activationBackward(ActivationGradient gradient, const float* dy, const float* x, float* dx,
                        int64_t count, ActivationParameters p) {
    HWY_DYNAMIC_DISPATCH(backwardLoop)(gradient, dy, x, dx, count, p);
}

}  // namespace simd
}  // namespace temper
#endif
