// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/runs/run_event.h"

namespace temper {

/// Label and value, in the order in which they are shown.
using LabelledValues = std::vector<std::pair<std::string, std::string>>;

/// What is known of a run besides its events.
struct RunSettings {
    std::string title;           ///< what the run is called
    std::string command;         ///< the command line that repeats it, or empty
    LabelledValues choices;      ///< model, data, loss, optimizer, ...
    LabelledValues environment;  ///< version, processor, threads, ...
};

/// All of one run: its settings, and its events sorted by kind.
struct RunRecord {
    RunSettings settings;
    std::optional<StartedEvent> started;
    std::vector<StepEvent> steps;
    std::vector<EpochEvent> epochs;
    std::vector<EvalEvent> evaluations;
    std::vector<CheckpointEvent> checkpoints;
    std::vector<WarningEvent> warnings;
    std::optional<EndEvent> end;  ///< absent while it runs, or if it was cut off

    void add(const RunEvent& event);
    /// Drops the steps, epochs and evaluations after `step`.
    void forgetAfter(int64_t step);
};

/// Whether larger values of the metric are better: all but losses, errors and distances.
bool isHigherBetter(const std::string& metric);

/// The evaluation with the best value of `metric`, or the lowest loss for "loss"; the first of
/// equals. Null if no evaluation has a finite value of it.
const EvalEvent* bestEvaluation(const RunRecord& record, const std::string& metric);

/// The names of the metrics of all evaluations, sorted.
std::vector<std::string> metricNames(const RunRecord& record);

}  // namespace temper
