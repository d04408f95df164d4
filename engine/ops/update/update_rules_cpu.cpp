// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/update/update_rules_cpu.h"

#include <array>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/ops/update/update_rules_cpu.cpp"
#include <hwy/foreach_target.h>
// The included header needs foreach_target.h before it.
#include "engine/ops/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace temper::HWY_NAMESPACE {
namespace {

using V = FloatVector;

/// The numbers of a step in every lane.
struct Lanes {
    explicit HWY_INLINE Lanes(const simd::UpdateNumbers& n)
        : lr(all(n.lr)),
          beta1(all(n.beta1)),
          beta2(all(n.beta2)),
          rest1(all(1.0F - n.beta1)),
          rest2(all(1.0F - n.beta2)),
          epsilon(all(n.epsilon)),
          decay(all(n.lr * n.decay)),
          pureDecay(all(n.decay)),
          penalty(all(n.penalty)),
          clip(all(n.clip)),
          correction1(all(n.correction1)),
          correction2(all(n.correction2)),
          correctedRate(all(n.lr * std::sqrt(n.correction2) / n.correction1)),
          initial(all(n.initial)) {}

    static HWY_INLINE V all(float value) { return hn::Set(FloatTag(), value); }

    V lr, beta1, beta2, rest1, rest2, epsilon, decay, pureDecay, penalty, clip;
    V correction1, correction2, correctedRate, initial;
};

/// What a rule changes.
struct State {
    V w, m, s;
};

/// The clipped gradient with the penalty on the weights.
HWY_INLINE V effective(V g, V w, const Lanes& c) {
    const V cut = hn::Max(hn::Min(g, c.clip), hn::Neg(c.clip));
    return hn::Add(cut, hn::Mul(c.penalty, w));
}

HWY_INLINE void averageGradients(State& x, V g, const Lanes& c) {
    x.m = hn::Add(hn::Mul(c.beta1, x.m), hn::Mul(c.rest1, g));
    x.s = hn::Add(hn::Mul(c.beta2, x.s), hn::Mul(c.rest2, hn::Mul(g, g)));
}

/// What rules have in common: how many moments they have, which gradient they see.
template <int kCount>
struct Rule {
    static constexpr int kMoments = kCount;
    static HWY_INLINE V gradient(V g, V w, const Lanes& c) { return effective(g, w, c); }
};

/// w <- w - lr g
struct Sgd : Rule<0> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        x.w = hn::Sub(x.w, hn::Mul(c.lr, g));
    }
};

/// m <- b1 m + g, w <- w - lr m
struct Momentum : Rule<1> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        x.m = hn::Add(hn::Mul(c.beta1, x.m), g);
        x.w = hn::Sub(x.w, hn::Mul(c.lr, x.m));
    }
};

/// m <- b1 m + g, w <- w - lr (g + b1 m). Source: Sutskever et al., On the importance of
/// initialization and momentum in deep learning (2013), as PyTorch writes it.
struct Nesterov : Rule<1> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        x.m = hn::Add(hn::Mul(c.beta1, x.m), g);
        x.w = hn::Sub(x.w, hn::Mul(c.lr, hn::Add(g, hn::Mul(c.beta1, x.m))));
    }
};

/// Decay before the step, epsilon outside the corrected root, as in PyTorch. Source: Kingma & Ba,
/// Adam (2015); Loshchilov & Hutter, Decoupled Weight Decay Regularization (2019).
struct Adam : Rule<2> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        const V start = hn::Sub(x.w, hn::Mul(x.w, c.decay));
        averageGradients(x, g, c);
        const V root = hn::Sqrt(hn::Div(x.s, c.correction2));
        const V divisor = hn::Mul(c.correction1, hn::Add(root, c.epsilon));
        x.w = hn::Sub(start, hn::Div(hn::Mul(c.lr, x.m), divisor));
    }
};

/// Decay after the step, epsilon beside the uncorrected root, as in Hugging Face.
struct AdamDecayLast : Rule<2> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        averageGradients(x, g, c);
        const V divisor = hn::Add(hn::Sqrt(x.s), c.epsilon);
        const V moved = hn::Sub(x.w, hn::Div(hn::Mul(c.correctedRate, x.m), divisor));
        x.w = hn::Sub(moved, hn::Mul(moved, c.decay));
    }
};

/// A rule that sees gradients as they are, NaN too.
template <typename Prepared>
struct Plain : Prepared {
    static HWY_INLINE V gradient(V g, V, const Lanes&) { return g; }
};

/// s <- b2 s + (1 - b2) g^2, m <- b1 m + g / (sqrt(s) + epsilon), w <- w - lr m.
/// Source: Hinton, Neural Networks for Machine Learning, lecture 6e, as PyTorch writes it.
struct RmsProp : Rule<2> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        x.s = hn::Add(hn::Mul(c.beta2, x.s), hn::Mul(c.rest2, hn::Mul(g, g)));
        const V change = hn::Div(g, hn::Add(hn::Sqrt(x.s), c.epsilon));
        x.m = hn::Add(hn::Mul(c.beta1, x.m), change);
        x.w = hn::Sub(x.w, hn::Mul(c.lr, x.m));
    }
};

/// s (the first moment) <- s + g^2, w <- w - lr g / (sqrt(s + initial) + epsilon).
/// Source: Duchi et al., Adaptive Subgradient Methods (2011).
struct Adagrad : Rule<1> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        x.m = hn::Add(x.m, hn::Mul(g, g));
        const V divisor = hn::Add(hn::Sqrt(hn::Add(x.m, c.initial)), c.epsilon);
        x.w = hn::Sub(x.w, hn::Mul(c.lr, hn::Div(g, divisor)));
    }
};

/// w <- w - lr (sign(b1 m + (1 - b1) g) + decay w), m <- b2 m + (1 - b2) g.
/// Source: Chen et al., Symbolic Discovery of Optimization Algorithms (2023), program 1.
struct Lion : Rule<1> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) {
        const V mixed = hn::Add(hn::Mul(c.beta1, x.m), hn::Mul(c.rest1, g));
        const V zero = Lanes::all(0);
        const V sign =
            hn::IfThenElse(hn::Eq(mixed, zero), zero, hn::CopySign(Lanes::all(1), mixed));
        x.w = hn::Sub(x.w, hn::Mul(c.lr, hn::Add(sign, hn::Mul(c.pureDecay, x.w))));
        x.m = hn::Add(hn::Mul(c.beta2, x.m), hn::Mul(c.rest2, g));
    }
};

/// w <- w - lr r, where r = (m / c1) / (sqrt(s / c2) + epsilon) + decay w; lr includes the trust
/// ratio. Source: You et al., Large Batch Optimization for Deep Learning: Training BERT in 76
/// minutes (2020), algorithm 2.
struct Lamb : Rule<2> {
    static HWY_INLINE V direction(const State& x, const Lanes& c) {
        const V root = hn::Sqrt(hn::Div(x.s, c.correction2));
        const V ratio = hn::Div(hn::Div(x.m, c.correction1), hn::Add(root, c.epsilon));
        return hn::Add(ratio, hn::Mul(c.pureDecay, x.w));
    }
    static HWY_INLINE void step(State& x, V, const Lanes& c) {
        x.w = hn::Sub(x.w, hn::Mul(c.lr, direction(x, c)));
    }
};

struct LambMoments : Rule<2> {
    static HWY_INLINE void step(State& x, V g, const Lanes& c) { averageGradients(x, g, c); }
};

template <int kMoments, typename Load>
HWY_INLINE State loadState(const simd::UpdatedTensor& t, Load load) {
    State x{load(t.weights), Lanes::all(0), Lanes::all(0)};
    if constexpr (kMoments > 0) x.m = load(t.first);
    if constexpr (kMoments > 1) x.s = load(t.second);
    return x;
}

template <int kMoments, typename Store>
HWY_INLINE void storeState(const State& x, const simd::UpdatedTensor& t, Store store) {
    store(x.w, t.weights);
    if constexpr (kMoments > 0) store(x.m, t.first);
    if constexpr (kMoments > 1) store(x.s, t.second);
}

template <typename Chosen>
void updateLoop(const simd::UpdatedTensor& t, int64_t count, const simd::UpdateNumbers& numbers) {
    constexpr int kMoments = Chosen::kMoments;
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const Lanes constants(numbers);
    const auto run = [&](auto load, auto store) {
        State x = loadState<kMoments>(t, load);
        Chosen::step(x, Chosen::gradient(load(t.gradients), x.w, constants), constants);
        storeState<kMoments>(x, t, store);
    };
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        run([&](const float* from) { return hn::LoadU(d, from + i); },
            [&](V value, float* to) { hn::StoreU(value, d, to + i); });
    }
    if (i == count) return;
    run([&](const float* from) { return loadTail(d, from + i, count - i); },
        [&](V value, float* to) { storeTail(d, value, to + i, count - i); });
}

/// The squares of each lane are added in double precision, one after the other.
HWY_INLINE void addSquares(V x, int64_t count, double& sum) {
    HWY_ALIGN float values[hn::MaxLanes(FloatTag())];
    hn::Store(x, FloatTag(), values);
    for (int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]) * values[i];
}

simd::NormSums prepareLamb(const simd::UpdatedTensor& t, int64_t count,
                           const simd::UpdateNumbers& numbers) {
    updateLoop<LambMoments>(t, count, numbers);
    const FloatTag d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const Lanes constants(numbers);
    simd::NormSums sums;
    for (int64_t i = 0; i < count; i += lanes) {
        const int64_t length = count - i < lanes ? count - i : lanes;
        const auto load = [&](const float* from) { return loadTail(d, from + i, length); };
        const State x = loadState<2>(t, load);
        addSquares(x.w, length, sums.weights);
        addSquares(Lamb::direction(x, constants), length, sums.changes);
    }
    return sums;
}

template <typename Chosen>
constexpr simd::UpdateRule rule(std::string_view name, simd::Decay decay,
                                decltype(simd::UpdateRule::prepare) prepare = nullptr) {
    return {name, decay, Chosen::kMoments, updateLoop<Chosen>, prepare};
}

constexpr std::array kRules = {
    rule<Sgd>("sgd", simd::Decay::Gradient),
    rule<Momentum>("momentum", simd::Decay::Gradient),
    rule<Nesterov>("nesterov", simd::Decay::Gradient),
    rule<Adam>("adam", simd::Decay::Gradient),
    rule<AdamDecayLast>("adamw", simd::Decay::Weights),
    rule<Adam>("adamw-torch", simd::Decay::Weights),
    rule<RmsProp>("rmsprop", simd::Decay::Gradient),
    rule<Adagrad>("adagrad", simd::Decay::Gradient),
    rule<Lion>("lion", simd::Decay::Weights),
    rule<Lamb>("lamb", simd::Decay::Weights, prepareLamb),
};

std::span<const simd::UpdateRule> allRules() { return kRules; }

simd::Update* adamWLoop(bool decaysLast) {
    return decaysLast ? updateLoop<Plain<AdamDecayLast>> : updateLoop<Plain<Adam>>;
}

}  // namespace
}  // namespace temper::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace temper {
namespace {
HWY_EXPORT(allRules);
HWY_EXPORT(adamWLoop);
}  // namespace

namespace simd {

std::span<const UpdateRule> updateRules() { return HWY_DYNAMIC_DISPATCH(allRules)(); }
Update* adamWUpdate(bool decaysLast) { return HWY_DYNAMIC_DISPATCH(adamWLoop)(decaysLast); }

}  // namespace simd
}  // namespace temper
#endif
