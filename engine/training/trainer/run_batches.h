// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/data/batch_loader.h"
#include "engine/distributed/sum_tree.h"
#include "engine/training/session/training_session.h"
#include "engine/training/spec/run_spec.h"
#include "engine/training/trainer/trainer.h"

namespace temper {

/// The part of each batch that this process reads.
struct BatchShare {
    int64_t slices = 1;
    PartRange mine{0, 1};
};

/// The batches of a run, and how they make up its steps and epochs: an optimizer step takes as many
/// as are accumulated, or the remaining ones at the end of an epoch. `stepsDone`: completed steps.
class RunBatches {
public:
    virtual ~RunBatches() = default;

    virtual int64_t totalSteps() const = 0;     ///< 0: only the end of the data will tell
    virtual int64_t stepsPerEpoch() const = 0;  ///< 0: unknown
    virtual int64_t samples() const = 0;        ///< of an epoch; 0: unknown
    /// Of all batches but the last one of an epoch; 0: any.
    virtual int64_t batchSize() const = 0;

    /// Whether the run has done all its steps.
    virtual bool isDone(int64_t stepsDone) const = 0;
    /// The next batch of the step after `stepsDone` steps; nothing if the step has all its batches.
    virtual std::optional<Batch> next(int64_t stepsDone) = 0;
    /// Seconds that the last next() waited for its batch.
    virtual double waitSeconds() const = 0;

    /// Whether the latest of these steps was the last one of an epoch.
    virtual bool endsEpoch(int64_t stepsDone) const = 0;
    /// Completed epochs.
    virtual int64_t epochsDone(int64_t stepsDone) const = 0;
    /// 1.25: a quarter of the second epoch is done.
    virtual double epochAt(int64_t stepsDone) const = 0;
};

/// Those of the data set, in the order that seed and epoch determine, or of the stream, from the
/// batch at which a run that has done `stepsDone` steps continues. A stream of unknown length
/// starts over. If the model fixes its number of samples, that is the size of a slice.
/// Throws: Error(InvalidInput) for data without samples, and for settings that make no sense;
/// Error(Unsupported) for a stream of which only a share is wanted.
std::unique_ptr<RunBatches> batchesOfRun(const TrainingSession& session, const TrainerData& data,
                                         const RunSpec& spec, int64_t stepsDone,
                                         const BatchShare& share = {});

}  // namespace temper
