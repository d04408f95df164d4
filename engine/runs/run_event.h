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
    size_t arenaBytes = 0;       ///< planned memory so far; plans are made when a batch is there
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
    bool isBest = false;             ///< of the run so far, by the figure that it goes by
    int64_t withoutImprovement = 0;  ///< evaluations in a row
};

struct CheckpointEvent {
    int64_t step = 0;
    std::string kind;  ///< "last", "best", "kept" (among the best), "every", "pause", "requested"
    std::string path;
};

/// A checkpoint that the run had written is gone: others are better, or it was moved away.
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

/// The learning rate was changed by hand behind this step, or follows the schedule again.
struct LearningRateEvent {
    int64_t step = 0;
    double learningRate = 0;
    bool followsSchedule = false;
};

/// The state went back to what it was behind `step`; the steps up to `fromStep` are forgotten.
struct RolledBackEvent {
    int64_t step = 0;
    int64_t fromStep = 0;
};

/// How often the sizes of numbers occur: bin i counts |x| in [2^(i + kLowestExponent), twice that);
/// smaller and larger ones lie in the first and the last bin, zeros in none.
struct MagnitudeHistogram {
    static constexpr int kBins = 40;
    static constexpr int kLowestExponent = -32;

    std::array<uint32_t, kBins> counts{};
    uint32_t zeros = 0;
    uint32_t notFinite = 0;

    void add(float value);
    /// Of all numbers; 0 where there are none.
    double zeroShare() const;
    uint64_t total() const;
};

/// A parameter and its gradient at one step, estimated from a sample of its numbers where it has
/// many.
struct LayerStatistics {
    std::string name;
    int64_t elements = 0;
    double weightNorm = 0;
    double gradientNorm = 0;  ///< before clipping
    double updateRatio = 0;   ///< |change of the weights| / |weights|; 0 where the weights are 0
    double zeroWeights = 0;   ///< share of numbers that are exactly 0
    double zeroGradients = 0;
    int64_t units = 0;      ///< that can die and were looked at often enough; 0: nothing is known
    int64_t deadUnits = 0;  ///< whose gradients were exactly 0 in all recent looks
    MagnitudeHistogram weights = {};  ///< not written to logs, as the next one
    MagnitudeHistogram gradients = {};
};

/// The parameters that train, looked at during this step.
struct LayersEvent {
    int64_t step = 0;
    int64_t interval = 0;  ///< steps since the time before
    double costShare = 0;  ///< share of the run's time that looking has taken so far
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
    std::string code = {};  ///< "R001" NaN or infinity, "R002" the loss ran away
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

/// One line of `train --log`: {"event": "step", "time": ..., ...}. Never spans lines, has no line
/// end; a number that is not finite is null.
std::string toJsonLine(const RunEvent& event);

/// The inverse of toJsonLine(); a null number is NaN, fields that are not known are ignored.
/// Throws: Error(InvalidInput) naming the field that is missing or of another kind.
RunEvent runEventFromJsonLine(std::string_view line);

/// "finished", "stopped" or "failed".
std::string_view outcomeName(RunOutcome outcome);

}  // namespace temper
