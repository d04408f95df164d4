// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/runs/run_event.h"
#include "engine/training/binding.h"
#include "engine/training/rollback_guard.h"
#include "engine/training/step_profiler.h"
#include "engine/training/training_session.h"
#include "engine/training/training_spec.h"

namespace temper {

/// What others may ask of a running Trainer; honoured at step borders. One for each run: a stop
/// stays. Thread: any.
class RunControl {
public:
    void pause();
    void resume();
    /// One optimizer step, then pause again.
    void stepOnce();
    /// Ends the run after the current step; `save` writes the checkpoint "last" first.
    void stop(bool save = true);
    void stopAfterEpoch();
    /// Replaces the schedule by a constant rate from the next step on, also where the run is
    /// continued from its checkpoint.
    void setLearningRate(double learningRate);
    /// Back to the schedule from the next step on.
    void followSchedule();
    /// Writes a checkpoint with optimizer state after the current step (also while paused).
    void saveCheckpoint(std::filesystem::path path);
    /// Runs `task` on the training thread at the next step border (also while paused): for reading
    /// large things. It must not keep references into the session.
    void atStepBorder(std::function<void(TrainingSession&)> task);

    bool isPaused() const;
    /// Whether the run was told to end after the current step.
    bool isStopping() const;

private:
    friend class Trainer;

    /// What is asked for at a step border; taking it empties the lists.
    struct Requests {
        bool mayStep = false;
        bool paused = false;
        bool stop = false;
        bool saveOnStop = true;
        std::optional<double> learningRate;
        bool followSchedule = false;
        std::vector<std::function<void(TrainingSession&)>> tasks;
        std::vector<std::filesystem::path> checkpoints;
    };
    Requests take();
    /// Blocks while there is nothing to do but to stay paused.
    void waitForRequest();
    bool stopsAfterEpoch() const;
    template <typename F>
    void change(F&& action);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool paused_ = false;
    bool stepOnce_ = false;
    bool stop_ = false;
    bool saveOnStop_ = true;
    bool stopAfterEpoch_ = false;
    std::optional<double> learningRate_;
    bool followSchedule_ = false;
    std::vector<std::function<void(TrainingSession&)>> tasks_;
    std::vector<std::filesystem::path> checkpoints_;
};

/// Receives every event of a run, on the training thread.
using TrainerCallback = std::function<void(const RunEvent&)>;

/// The samples of a run and which data column feeds which input of the model.
struct TrainerData {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;   ///< may be null
    std::map<std::string, std::string> binding;  ///< input name to column name, complete
};

/// Result of going through a data set with the eval model.
struct Evaluation {
    int64_t samples = 0;
    double loss = 0;
    std::map<std::string, double> metrics;
    std::shared_ptr<const ConfusionMatrix> confusion;
};
/// Means over samples, whatever the batch size. `metrics` empty: those that fit the loss.
/// `cancelled` is asked before each batch; the result then covers the samples so far. A model with
/// a fixed batch size leaves out the samples that do not fill a batch. Throws: Error(State) without
/// eval model, Error(InvalidInput) for an unknown metric.
Evaluation evaluateDataset(TrainingSession& session, const Dataset& data,
                           const std::map<std::string, std::string>& binding, int64_t batchSize,
                           const std::vector<std::string>& metrics,
                           const std::function<bool()>& cancelled = {});

/// Epochs over a data set: batches, accumulation, clipping, schedule, evaluation, checkpoints.
///
/// NaN or infinity in the loss ends the run as Failed, naming step and node, before the optimizer
/// step; the last good checkpoint stays. So does a finite loss that runs away, naming the node with
/// the largest gradients, unless the specification wants no guard. Same seed, same curve, whatever
/// the threads.
class Trainer {
public:
    Trainer(TrainingSession& session, TrainerData data, RunSpec spec, RunControl& control,
            TrainerCallback callback);
    ~Trainer();

    /// In place of the specification's, before run(). It knows itself what the initial rate and the
    /// number of steps are.
    void setSchedule(std::unique_ptr<LrSchedule> schedule);

    /// Gives out a LayersEvent now and then; before run(). `maximalShare` of the time is spent on
    /// it.
    void watchLayers(double maximalShare = 0.01);
    /// Keeps a good state there, and says in the EndEvent which; before run(). It has to outlive
    /// the run.
    void keepGoodState(RollbackGuard& guard);
    /// Profiles some of the steps; before run(). It has to outlive the run.
    void profileSteps(StepProfiler& profiler);

    /// Continues behind the optimizer steps that the state has already done with the same data
    /// order. Never throws: a failure is an EndEvent with RunOutcome::Failed.
    RunOutcome run();

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper
