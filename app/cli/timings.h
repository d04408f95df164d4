// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

namespace temper::cli {

/// The times of several executions.
class Timings {
public:
    /// Runs `work` once and records its time.
    void measure(const std::function<void()>& work);

    /// Milliseconds below which `share` of the times lie, interpolated; 0.5 for the median.
    double quantile(double share) const;

private:
    std::vector<double> milliseconds_;  ///< ascending
};

}  // namespace temper::cli
