// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace temper {

/// Time spent per operator over any number of runs.
struct Profile {
    struct Entry {
        int64_t count = 0;   ///< kernel calls
        double seconds = 0;  ///< wall time
        int64_t flops = 0;   ///< floating point operations, where kernels state them
    };
    /// By phase ("forward", "backward", "optimizer") and qualified operator name.
    std::map<std::string, std::map<std::string, Entry>> phases;
};

}  // namespace temper
