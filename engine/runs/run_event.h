// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
    size_t arenaBytes = 0;       ///< planned memory so far; plans are made when a batch arrives
};

struct EpochEvent {
    int64_t epoch = 0;  ///< from 1
    int64_t step = 0;
    double meanLoss = 0;
    double seconds = 0;
};

/// An evaluation finished.
struct EvalEvent {
    int64_t step = 0;
    double epoch = 0;
    double loss = 0;
    std::map<std::string, double> metrics = {};
    int64_t samples = 0;
    std::shared_ptr<const ConfusionMatrix> confusion = {};  ///< null for regression
    bool isBest = false;             ///< of the run so far, by the metric that it is judged by
    int64_t withoutImprovement = 0;  ///< evaluations in a row
};

struct CheckpointEvent {
    int64_t step = 0;
    std::string kind;  ///< "last", "best", "kept" (among the best), "every", "pause", "requested"
    std::string path;
};

/// A checkpoint of the run is gone: others are better, or it was moved away.
struct CheckpointRemovedEvent {
    int64_t step = 0;
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

/// The learning rate was changed by hand after this step, or follows the schedule again.
struct LearningRateEvent {
    int64_t step = 0;
    double learningRate = 0;
    bool followsSchedule = false;
};

/// The state was rolled back to that after `step`; the steps up to `fromStep` are discarded.
struct RolledBackEvent {
    int64_t step = 0;
    int64_t fromStep = 0;
};

/// A histogram of magnitudes: bin i counts |x| in [2^(i + kLowestExponent), twice that); smaller
/// and larger numbers count in the first and the last bin, zeros in none.
struct MagnitudeHistogram {
    static constexpr int kBins = 40;
    static constexpr int kLowestExponent = -32;

    std::array<uint32_t, kBins> counts{};
    uint32_t zeros = 0;
    uint32_t notFinite = 0;

    void add(float value);
    /// Of all numbers; 0 if there are none.
    double zeroShare() const;
    uint64_t total() const;
};

/// A parameter and its gradient at one step, estimated from a sample if it has many numbers.
struct LayerStatistics {
    std::string name;
    int64_t elements = 0;
    double weightNorm = 0;
    double gradientNorm = 0;  ///< before clipping
    double updateRatio = 0;   ///< |change of the weights| / |weights|; 0 if the weights are 0
    double zeroWeights = 0;   ///< share of numbers that are exactly 0
    double zeroGradients = 0;
    int64_t units = 0;                ///< that can die and were looked at often enough; 0: unknown
    int64_t deadUnits = 0;            ///< whose gradients were exactly 0 in all recent looks
    MagnitudeHistogram weights = {};  ///< not written to logs, nor is the next one
    MagnitudeHistogram gradients = {};
};

/// Statistics of the trainable parameters at this step.
struct LayersEvent {
    int64_t step = 0;
    int64_t interval = 0;  ///< steps since the previous look
    double costShare = 0;  ///< share of the run's time spent on looking so far
    std::shared_ptr<const std::vector<LayerStatistics>> layers = {};  ///< never null in a run
};

/// The last event of every run.
struct EndEvent {
    RunOutcome outcome = RunOutcome::Finished;
    int64_t step = 0;
    double seconds = 0;
    std::string message = {};  ///< why it failed, or empty
    std::string hint = {};
    std::string node = {};  ///< the node to look at: where NaN or the loss comes from
    std::string code = {};  ///< "R001" NaN or infinity, "R002" the loss diverged
    std::optional<int64_t> goodStep = {};  ///< whose state a RollbackGuard kept
};

using RunFact = std::variant<StartedEvent, StepEvent, EpochEvent, EvalEvent, CheckpointEvent,
                             CheckpointRemovedEvent, WarningEvent, PausedEvent, ResumedEvent,
                             LearningRateEvent, RolledBackEvent, LayersEvent, EndEvent>;

/// One immutable fact of a run.
struct RunEvent {
    double time = 0;  ///< seconds since the run began
    RunFact fact;
};

/// One line of `train --log`: {"event": "step", "time": ..., ...}. Contains no line breaks and has
/// no line end; a number that is not finite is null.
std::string toJsonLine(const RunEvent& event);

/// The inverse of toJsonLine(); a null number is NaN, unknown fields are ignored. Throws:
/// Error(InvalidInput) naming the field that is missing or of the wrong type.
RunEvent runEventFromJsonLine(std::string_view line);

/// "finished", "stopped" or "failed".
std::string_view outcomeName(RunOutcome outcome);

}  // namespace temper
