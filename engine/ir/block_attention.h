// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Names of the operators that stand for an attention in plans: the pass fuse-attention writes them,
// engine/ops/attention has their types and kernels. No file has them.
namespace temper::block_attention {

inline constexpr std::string_view kDomain = "temper";

/// y, maxima, sums = BlockAttention(q, k, v, what is seen...):
/// y = softmax(cap(scale q kT) + bias) v; of each row of scores the largest, and the sum of
/// exp(score - largest). q [..., R, D], k [..., N, D], v [..., N, E], y [..., R, E], maxima and
/// sums [..., R]. The dimensions in front hold B G matrices, the R rows of each are those of H / G
/// heads with T queries each, heads outermost.
inline constexpr std::string_view kForward = "BlockAttention";
/// dq, dk, dv = BlockAttentionGrad(dy, q, k, v, y, maxima, sums, what is seen...)
inline constexpr std::string_view kBackward = "BlockAttentionGrad";
/// Whether a query sees any key, [..., T, 1]: SeesAnyKey(what is seen...)
inline constexpr std::string_view kSeesAny = "SeesAnyKey";

/// Where the inputs begin that say what is seen.
inline constexpr size_t kForwardSeen = 3, kBackwardSeen = 7, kSeesAnySeen = 0;

// What is seen: first a bias and a mask of booleans, each perhaps omitted, then pairs of int64
// positions (lower, upper). All of them broadcast to [B, H, T, N]; a position has one number per
// key or one per query.
inline constexpr size_t kBias = 0, kMask = 1, kPairs = 2;

// Attributes.
inline constexpr const char* kBatch = "batch";      ///< B
inline constexpr const char* kHeads = "heads";      ///< of queries, H
inline constexpr const char* kScale = "scale";      ///< of the products; absent: 1
inline constexpr const char* kSoftcap = "softcap";  ///< cap tanh(score / cap); 0: none
/// Whether keys are hidden at all, by the mask, a pair or an infinite bias.
inline constexpr const char* kHides = "hides";
/// For each pair: a key is seen where lower < upper (1), where lower <= upper (0).
inline constexpr const char* kStrict = "strict";
/// Whether keys with a bias of minus infinity are hidden.
inline constexpr const char* kInfiniteHides = "infinite_hides";
/// What a query gives that sees no key: a Blind.
inline constexpr const char* kBlind = "blind";

enum class Blind : int64_t {
    Mean,            ///< of all values, as the softmax over equal scores has it
    MeanThatLearns,  ///< the same, but the scores count: they have a gradient
    Zeros,
    NotANumber,
};

}  // namespace temper::block_attention
