// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace temper::cli {

/// How long something took, several times.
class Timings {
public:
    /// Runs `work` once and notes its time.
    void measure(const std::function<void()>& work);

    /// Milliseconds below which `share` of the times lie, interpolated; 0.5 for the median.
    double quantile(double share) const;

private:
    std::vector<double> milliseconds_;  ///< ascending
};

}  // namespace temper::cli
