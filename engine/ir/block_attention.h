// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Names of the operators that stand for an attention in plans: the pass fuse-attention writes them,
// engine/ops/attention has their types and kernels. They do not occur in files.
namespace temper::block_attention {

inline constexpr std::string_view kDomain = "temper";

/// y, maxima, sums = BlockAttention(q, k, v, what is seen...):
/// y = softmax(cap(scale q kT) + bias) v; the maximum of each row of scores, and the sum of
/// exp(score - maximum). q [..., R, D], k [..., N, D], v [..., N, E], y [..., R, E], maxima and
/// sums [..., R]. The leading dimensions hold B G matrices; the R rows of each are those of H / G
/// heads with T queries each, heads outermost.
inline constexpr std::string_view kForward = "BlockAttention";
/// dq, dk, dv = BlockAttentionGrad(dy, q, k, v, y, maxima, sums, what is seen...)
inline constexpr std::string_view kBackward = "BlockAttentionGrad";
/// Whether a query sees any key, [..., T, 1]: SeesAnyKey(what is seen...)
inline constexpr std::string_view kSeesAny = "SeesAnyKey";

/// Index of the first input that says what is seen.
inline constexpr size_t kForwardSeen = 3, kBackwardSeen = 7, kSeesAnySeen = 0;

// What is seen: first a bias and a boolean mask, each optional, then pairs of int64 positions
// (lower, upper). All of them broadcast to [B, H, T, N]; a position has one number per key or one
// per query.
inline constexpr size_t kBias = 0, kMask = 1, kPairs = 2;

// Attributes.
inline constexpr const char* kBatch = "batch";      ///< B
inline constexpr const char* kHeads = "heads";      ///< of queries, H
inline constexpr const char* kScale = "scale";      ///< of the products; absent: 1
inline constexpr const char* kSoftcap = "softcap";  ///< cap tanh(score / cap); 0: none
/// Whether keys are hidden at all, by the mask, a pair or an infinite bias.
inline constexpr const char* kHides = "hides";
/// For each pair: a key is seen if lower < upper (1), or if lower <= upper (0).
inline constexpr const char* kStrict = "strict";
/// Whether keys with a bias of minus infinity are hidden.
inline constexpr const char* kInfiniteHides = "infinite_hides";
/// The result of a query that sees no key: a Blind.
inline constexpr const char* kBlind = "blind";

enum class Blind : int64_t {
    Mean,            ///< of all values, as the softmax over equal scores gives it
    MeanThatLearns,  ///< the same, but the scores have a gradient
    Zeros,
    NotANumber,
};

}  // namespace temper::block_attention
