// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/core/error.h"
#include "engine/data/dataset.h"
#include "engine/distributed/group.h"
#include "engine/runs/run_event.h"
#include "engine/training/binding/binding.h"
#include "engine/training/monitors/step_profiler.h"
#include "engine/training/parallel/sliced_gradients.h"
#include "engine/training/session/training_session.h"
#include "engine/training/spec/run_spec.h"
#include "engine/training/trainer/batch_stream.h"
#include "engine/training/trainer/rollback_guard.h"
#include "engine/training/trainer/run_control.h"

namespace temper {

/// Receives every event of a run, on the training thread.
using TrainerCallback = std::function<void(const RunEvent&)>;

/// The samples of a run and which data column feeds which input of the model.
struct TrainerData {
    std::shared_ptr<const Dataset> training;
    std::shared_ptr<const Dataset> evaluation;   ///< may be null
    std::map<std::string, std::string> binding;  ///< input name to column name, complete
    /// If set, the batches to train on; `training` then is the first one of them.
    std::shared_ptr<BatchStream> stream = {};
};

/// Epochs over a data set: batches, accumulation, clipping, schedule, evaluation, checkpoints.
///
/// NaN or infinity in the loss ends the run as Failed, naming step and node, before the optimizer
/// step; the last good checkpoint stays. So does a finite loss that diverges, naming the node with
/// the largest gradients, unless the specification disables the guard. Same seed, same curve,
/// whatever the threads.
class Trainer {
public:
    /// `group`: processes that train together, all of which do the same with the same data, state
    /// and settings; null: none; it has to outlive the run. Each batch is cut into RunSpec::slices,
    /// which the ranks share out: the run has the same bits on any number of ranks. Rank 0 alone
    /// listens to its RunControl and writes checkpoints. All ranks send the same events, but for
    /// those about requests and checkpoints.
    /// Throws: as SlicedGradients.
    Trainer(TrainingSession& session, TrainerData data, RunSpec spec, RunControl& control,
            TrainerCallback callback, Group* group = nullptr);
    ~Trainer();

    /// Replaces the specification's, before run(). The initial rate and the number of steps are its
    /// own.
    void setSchedule(std::unique_ptr<LrSchedule> schedule);

    /// Emits a LayersEvent now and then; before run(). `maximalShare` of the time is spent on it.
    void watchLayers(double maximalShare = 0.01);
    /// Keeps a good state there, and names it in the EndEvent; before run(). It has to outlive the
    /// run.
    void keepGoodState(RollbackGuard& guard);
    /// Profiles some of the steps; before run(). It has to outlive the run.
    void profileSteps(StepProfiler& profiler);

    /// Continues after the optimizer steps that the state has already done, with the same data
    /// order. Never throws: a failure is an EndEvent with RunOutcome::Failed.
    RunOutcome run();
    /// The kind of error that made the run fail; nothing if it did not.
    std::optional<ErrorCode> failure() const;
    /// What ranks have spent on exchanging gradients; nothing without ranks.
    std::optional<ExchangeCosts> exchangeCosts() const;

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace temper
