// SPDX-License-Identifier: Apache-2.0
#include "engine/runs/metric_summary.h"

#include <cmath>

#include "engine/runs/run_record.h"

namespace temper {

double MetricSummary::best() const { return isHigherBetter(name) ? maximum : minimum; }

int64_t MetricSummary::bestStep() const { return isHigherBetter(name) ? maximumStep : minimumStep; }

void MetricSummarizer::add(const RunEvent& event) {
    if (const auto* step = std::get_if<StepEvent>(&event.fact)) {
        add("loss", step->step, step->loss);
    } else if (const auto* eval = std::get_if<EvalEvent>(&event.fact)) {
        add("validation_loss", eval->step, eval->loss);
        for (const auto& [name, value] : eval->metrics) {
            if (name != "loss") add(name, eval->step, value);
        }
    }
}

void MetricSummarizer::add(const std::string& name, int64_t step, double value) {
    MetricSummary& summary = metrics_[name];
    summary.name = name;
    summary.last = value;
    summary.lastStep = step;
    if (!std::isfinite(value)) return;
    if (summary.count == 0 || value < summary.minimum) {
        summary.minimum = value;
        summary.minimumStep = step;
    }
    if (summary.count == 0 || value > summary.maximum) {
        summary.maximum = value;
        summary.maximumStep = step;
    }
    ++summary.count;
    add(sparks_[name], value);
}

void MetricSummarizer::add(Spark& spark, double value) {
    spark.sum += value;
    if (++spark.inLast < spark.size) return;
    spark.values.push_back(static_cast<float>(spark.sum / static_cast<double>(spark.size)));
    spark.inLast = 0;
    spark.sum = 0;
    if (spark.values.size() <= MetricSummary::kSparkPoints) return;
    std::vector<float> halved;
    for (size_t i = 0; i + 1 < spark.values.size(); i += 2) {
        halved.push_back((spark.values[i] + spark.values[i + 1]) / 2);
    }
    // The one without a partner waits for the values that complete its point.
    if (spark.values.size() % 2 == 1) {
        spark.sum = static_cast<double>(spark.values.back()) * static_cast<double>(spark.size);
        spark.inLast = spark.size;
    }
    spark.values = std::move(halved);
    spark.size *= 2;
}

std::vector<MetricSummary> MetricSummarizer::summaries() const {
    std::vector<MetricSummary> summaries;
    for (const auto& [name, summary] : metrics_) {
        summaries.push_back(summary);
        if (const auto spark = sparks_.find(name); spark != sparks_.end()) {
            summaries.back().spark = spark->second.values;
        }
    }
    return summaries;
}

}  // namespace temper
