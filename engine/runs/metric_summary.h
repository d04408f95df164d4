// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/runs/run_event.h"

namespace temper {

/// What a table shows of one metric of a run. Values that are not finite count only as last.
struct MetricSummary {
    std::string name;
    double last = 0;
    int64_t lastStep = 0;
    double minimum = 0;
    int64_t minimumStep = 0;
    double maximum = 0;
    int64_t maximumStep = 0;
    int64_t count = 0;         ///< finite values; if 0, minimum and maximum are meaningless
    std::vector<float> spark;  ///< at most kSparkPoints values, in order: a thumbnail of the curve

    static constexpr size_t kSparkPoints = 64;

    /// The maximum if larger is better, else the minimum.
    double best() const;
    int64_t bestStep() const;

    bool operator==(const MetricSummary&) const = default;
};

/// Follows the events of a run and keeps the summary of each metric: "loss" of the steps,
/// "validation_loss" and the metrics of the evaluations.
class MetricSummarizer {
public:
    void add(const RunEvent& event);
    /// Sorted by name.
    std::vector<MetricSummary> summaries() const;

private:
    /// Means of equal numbers of values; pairs are merged when there are too many.
    struct Spark {
        std::vector<float> values;
        int64_t size = 1;    ///< values per point
        int64_t inLast = 0;  ///< values that the sum holds
        double sum = 0;
    };
    void add(const std::string& name, int64_t step, double value);
    static void add(Spark& spark, double value);

    std::map<std::string, MetricSummary> metrics_;
    std::map<std::string, Spark> sparks_;
};

}  // namespace temper
