// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace temper {

enum class RunOutcome { Finished, Stopped, Failed };

/// Counts of (true class, predicted class).
struct ConfusionMatrix {
    std::vector<std::string> classes;
    std::vector<int64_t> counts;  ///< [classes * classes], row = true class

    int64_t at(size_t truth, size_t predicted) const {
        return counts[truth * classes.size() + predicted];
    }
};

/// The run begins: what is known of it.
struct StartedEvent {
    int64_t trainSamples = 0;
    int64_t evalSamples = 0;
    int64_t totalSteps = 0;     ///< optimizer steps to do
    int64_t stepsPerEpoch = 0;  ///< optimizer steps
    int64_t firstStep = 0;      ///< steps done by the run it continues
    int64_t trainableParameters = 0;
    int64_t parameters = 0;
    size_t arenaBytes = 0;
};

/// An optimizer step was done.
struct StepEvent {
    int64_t step = 0;  ///< from 1
    double epoch = 0;  ///< e.g. 1.25: a quarter of the second epoch is done
    double loss = 0;   ///< mean over the step's batches
    double learningRate = 0;
    double gradientNorm = 0;
    int64_t samples = 0;         ///< of this step
    double stepSeconds = 0;      ///< computing
    double dataWaitSeconds = 0;  ///< waiting for the loader
};

struct EpochEvent {
    int64_t epoch = 0;  ///< from 1
    int64_t step = 0;
    double meanLoss = 0;
    double seconds = 0;
};

/// The evaluation data was gone through.
struct EvalEvent {
    int64_t step = 0;
    double epoch = 0;
    double loss = 0;
    std::map<std::string, double> metrics = {};
    int64_t samples = 0;
    std::shared_ptr<const ConfusionMatrix> confusion = {};  ///< null for regression
};

struct CheckpointEvent {
    int64_t step = 0;
    std::string kind;  ///< "last", "best", "every", "requested"
    std::string path;
};

struct WarningEvent {
    int64_t step = 0;
    std::string message;
    std::string hint;
};

struct PausedEvent {
    int64_t step = 0;
};
struct ResumedEvent {
    int64_t step = 0;
};

/// The last event of every run.
struct EndEvent {
    RunOutcome outcome = RunOutcome::Finished;
    int64_t step = 0;
    double seconds = 0;
    std::string message = {};  ///< why it failed, or empty
    std::string hint = {};
    std::string node = {};  ///< the node that produced NaN, where that is why
};

using RunFact = std::variant<StartedEvent, StepEvent, EpochEvent, EvalEvent, CheckpointEvent,
                             WarningEvent, PausedEvent, ResumedEvent, EndEvent>;

/// One immutable fact of a run.
struct RunEvent {
    double time = 0;  ///< seconds since the run began
    RunFact fact;
};

/// One line of `train --log`: {"event": "step", "time": ..., ...}. Never spans lines, has no line
/// end; a number that is not finite is null.
std::string toJsonLine(const RunEvent& event);

/// The inverse of toJsonLine(); a null number is NaN, fields that are not known are ignored.
/// Throws: Error(InvalidInput) naming the field that is missing or of another kind.
RunEvent runEventFromJsonLine(std::string_view line);

/// "finished", "stopped" or "failed".
std::string_view outcomeName(RunOutcome outcome);

}  // namespace temper
