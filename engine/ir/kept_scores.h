// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

// Names of the operators that stand for a cross entropy in plans: the pass keep-scores writes them,
// engine/ops/loss has their types and kernels. They do not occur in files.
namespace temper::kept_scores {

inline constexpr std::string_view kDomain = "temper";

/// loss, statistics = CrossEntropy(scores, labels, weights?, ignored label?), with the attributes
/// of SoftmaxCrossEntropyLoss. The statistics [2, N, ...] of scores [N, C, ...] are the maximum m
/// of each label's scores, and l = log(sum of exp(score - m)): log-probabilities are
/// (score - m) - l.
inline constexpr std::string_view kForward = "CrossEntropy";
/// dx = CrossEntropyGrad(dy, scores, labels, weights?, ignored label?, bias?, statistics)
inline constexpr std::string_view kBackward = "CrossEntropyGrad";

/// Where the gradient has the scores, in place of log-probabilities, and the statistics.
inline constexpr size_t kScoresInput = 1, kStatisticsInput = 6;

}  // namespace temper::kept_scores
