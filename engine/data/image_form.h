// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper {

/// The form in which a model takes pictures; 0 if it takes any.
struct ImageForm {
    int64_t channels = 0;
    int64_t height = 0;
    int64_t width = 0;
    bool channelsLast = false;  ///< [H, W, C] instead of [C, H, W]

    bool operator==(const ImageForm&) const = default;
};

}  // namespace temper
