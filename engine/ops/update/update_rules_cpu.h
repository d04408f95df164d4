// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace temper::simd {

/// A part of a parameter with its gradient and moments; moments that a rule lacks are null.
struct UpdatedTensor {
    float* weights;
    const float* gradients;
    float* first;
    float* second;
};

/// The numbers of one step; a rule reads those that it has.
struct UpdateNumbers {
    float lr = 0;
    float beta1 = 0;  ///< share of the first moment that is kept
    float beta2 = 0;  ///< the same of the second one
    float epsilon = 0;
    float decay = 0;        ///< of the weights themselves, times lr
    float penalty = 0;      ///< this share of the weight is added to the gradient
    float clip = 0;         ///< each gradient is clipped to [-clip, clip] before that
    float correction1 = 1;  ///< 1 - beta1^step
    float correction2 = 1;
    float initial = 0;  ///< what a sum of squares begins with
};

enum class UpdateRule {
    Sgd,       ///< w <- w - lr g
    Momentum,  ///< m <- b1 m + g, w <- w - lr m
    /// m <- b1 m + g, w <- w - lr (g + b1 m). Source: Sutskever et al., On the importance of
    /// initialization and momentum in deep learning (2013), as PyTorch writes it.
    Nesterov,
    /// Decay before the step, epsilon outside the corrected root, as in PyTorch. Source: Kingma &
    /// Ba, Adam (2015); Loshchilov & Hutter, Decoupled Weight Decay Regularization (2019).
    Adam,
    /// Decay after the step, epsilon beside the uncorrected root, as in Hugging Face.
    AdamDecayLast,
    AdamW,           ///< Adam without clipping and penalty: AdamWOptimizer with adam_mode 0
    AdamWDecayLast,  ///< the same of AdamDecayLast: adam_mode 1
    /// s <- b2 s + (1 - b2) g^2, m <- b1 m + g / (sqrt(s) + epsilon), w <- w - lr m.
    /// Source: Hinton, Neural Networks for Machine Learning, lecture 6e, as PyTorch writes it.
    RmsProp,
    /// s (the first moment) <- s + g^2, w <- w - lr g / (sqrt(s + initial) + epsilon).
    /// Source: Duchi et al., Adaptive Subgradient Methods (2011).
    Adagrad,
    /// w <- w - lr (sign(b1 m + (1 - b1) g) + decay w), m <- b2 m + (1 - b2) g.
    /// Source: Chen et al., Symbolic Discovery of Optimization Algorithms (2023), program 1.
    Lion,
    LambMoments,  ///< the moments of Adam only
    /// w <- w - lr r (see lambSums()); lr includes the trust ratio. Source: You et al., Large Batch
    /// Optimization for Deep Learning: Training BERT in 76 minutes (2020), algorithm 2.
    LambChange,
};

/// How many moments the rule reads and changes.
size_t momentsOf(UpdateRule rule);

void update(UpdateRule rule, const UpdatedTensor& tensor, int64_t count,
            const UpdateNumbers& numbers);

/// Sums of w^2 and of r^2, where r = (m / c1) / (sqrt(s / c2) + epsilon) + decay w.
struct LambSums {
    double weights = 0;
    double changes = 0;
};
LambSums lambSums(const UpdatedTensor& tensor, int64_t count, const UpdateNumbers& numbers);

}  // namespace temper::simd
