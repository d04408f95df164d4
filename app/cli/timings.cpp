// SPDX-License-Identifier: Apache-2.0
#include "app/cli/timings.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace temper::cli {

void Timings::measure(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    milliseconds_.insert(std::ranges::upper_bound(milliseconds_, taken.count()), taken.count());
}

double Timings::quantile(double share) const {
    const double position = share * static_cast<double>(milliseconds_.size() - 1);
    const auto below = static_cast<size_t>(position);
    const size_t above = std::min(below + 1, milliseconds_.size() - 1);
    const double fraction = position - std::floor(position);
    return milliseconds_[below] * (1 - fraction) + milliseconds_[above] * fraction;
}

}  // namespace temper::cli
