// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper {

/// What messages are about; those of one channel keep their order.
inline constexpr int kNoticeChannel = 0;       ///< RingWatch
inline constexpr int kControlChannel = 1;      ///< operations of Group that wait
inline constexpr int kFirstBucketChannel = 2;  ///< sums, which may be under way together
inline constexpr int kLastBucketChannel = 32767;

}  // namespace temper
