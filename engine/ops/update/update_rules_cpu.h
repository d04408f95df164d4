// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

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

using Update = void(const UpdatedTensor& tensor, int64_t count, const UpdateNumbers& numbers);

/// Sums over weights of w^2, and of the square of what they change by at a rate of 1.
struct NormSums {
    double weights = 0;
    double changes = 0;
};

/// What weight decay applies to.
enum class Decay { Weights, Gradient };

/// A rule of temper.OptimizerStep.
struct UpdateRule {
    std::string_view name;  ///< the attribute "rule"
    Decay decay;
    size_t moments;  ///< how many it reads and changes
    Update* update;
    /// Of a rule whose rate is multiplied by the norms' ratio of each parameter: changes the
    /// moments only, for update() to read. Otherwise null.
    NormSums (*prepare)(const UpdatedTensor& tensor, int64_t count,
                        const UpdateNumbers& numbers) = nullptr;
};

std::span<const UpdateRule> updateRules();

/// Adam without clipping and penalty: AdamWOptimizer, with adam_mode 1 if the decay is last.
Update* adamWUpdate(bool decaysLast);

}  // namespace temper::simd
