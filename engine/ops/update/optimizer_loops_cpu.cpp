// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/update/optimizer_loops_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/update/optimizer_loops_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

/// The constants of a step in every lane.
struct StepLanes {
    explicit HWY_INLINE StepLanes(const simd::AdamWStep& s)
        : beta1(hn::Set(FloatTag(), s.beta1)),
          beta2(hn::Set(FloatTag(), s.beta2)),
          rest1(hn::Set(FloatTag(), 1.0F - s.beta1)),
          rest2(hn::Set(FloatTag(), 1.0F - s.beta2)),
          epsilon(hn::Set(FloatTag(), s.epsilon)),
          decay(hn::Set(FloatTag(), s.lr * s.weightDecay)),
          rate(hn::Set(FloatTag(), rateOf(s))),
          scale1(hn::Set(FloatTag(), s.decayFirst ? s.correction1 : 1.0F)),
          scale2(hn::Set(FloatTag(), s.decayFirst ? s.correction2 : 1.0F)) {}

    static float rateOf(const simd::AdamWStep& s) {
        return s.decayFirst ? s.lr : s.lr * std::sqrt(s.correction2) / s.correction1;
    }

    FloatVector beta1, beta2, rest1, rest2, epsilon, decay, rate, scale1, scale2;
};

struct Updated {
    FloatVector weight, momentum1, momentum2;
};

HWY_INLINE FloatVector decayed(FloatVector weight, const StepLanes& c) {
    return hn::Sub(weight, hn::Mul(weight, c.decay));
}

/// m <- b1 m + (1 - b1) g, v <- b2 v + (1 - b2) g^2,
/// w <- w - rate m / (scale1 (sqrt(v / scale2) + epsilon))
HWY_INLINE Updated stepOf(FloatVector w, FloatVector g, FloatVector m, FloatVector v,
                          const StepLanes& c, bool decayFirst) {
    Updated u;
    const FloatVector start = decayFirst ? decayed(w, c) : w;
    u.momentum1 = hn::Add(hn::Mul(c.beta1, m), hn::Mul(c.rest1, g));
    u.momentum2 = hn::Add(hn::Mul(c.beta2, v), hn::Mul(c.rest2, hn::Mul(g, g)));
    const FloatVector root = hn::Sqrt(hn::Div(u.momentum2, c.scale2));
    const FloatVector divisor = hn::Mul(c.scale1, hn::Add(root, c.epsilon));
    const FloatVector change = hn::Div(hn::Mul(c.rate, u.momentum1), divisor);
    const FloatVector moved = hn::Sub(start, change);
    u.weight = decayFirst ? moved : decayed(moved, c);
    return u;
}

void adamWLoop(const simd::AdamWTensor& t, int64_t count, const simd::AdamWStep& step) {
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const StepLanes constants(step);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const Updated u = stepOf(hn::LoadU(d, t.weights + i), hn::LoadU(d, t.gradients + i),
                                 hn::LoadU(d, t.momentums1 + i), hn::LoadU(d, t.momentums2 + i),
                                 constants, step.decayFirst);
        hn::StoreU(u.weight, d, t.weights + i);
        hn::StoreU(u.momentum1, d, t.momentums1 + i);
        hn::StoreU(u.momentum2, d, t.momentums2 + i);
    }
    if (i == count) return;
    const int64_t rest = count - i;
    const Updated u = stepOf(loadTail(d, t.weights + i, rest), loadTail(d, t.gradients + i, rest),
                             loadTail(d, t.momentums1 + i, rest),
                             loadTail(d, t.momentums2 + i, rest), constants, step.decayFirst);
    storeTail(d, u.weight, t.weights + i, rest);
    storeTail(d, u.momentum1, t.momentums1 + i, rest);
    storeTail(d, u.momentum2, t.momentums2 + i, rest);
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(adamWLoop);
}  // namespace

namespace simd {

void adamW(const AdamWTensor& tensor, int64_t count, const AdamWStep& step) {
    HWY_DYNAMIC_DISPATCH(adamWLoop)(tensor, count, step);
}

}  // namespace simd
}  // namespace temper
#endif
