// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kBadInput = 2;

}  // namespace temper::cli
