// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"
#include "engine/runs/run_record.h"
#include "engine/runs/run_store.h"
#include "engine/training/spec/training_spec.h"

namespace temper {

/// A forward model, as specifications and people name it: a file, or a lesson's
/// ("lesson:digits/model.onnx"). Types are not inferred; `remarks` are those of LoadOptions.
/// Throws: Error naming it.
std::unique_ptr<Graph> loadModelOrLesson(const std::string& model, const OpSet& ops,
                                         std::vector<Finding>* remarks = nullptr);

/// The specification that a run was made from, with absolute paths.
/// Throws: Error(InvalidInput) where the history does not have it, e.g. for an imported log.
TrainingSpec specOfRun(const StoredRun& run, const std::filesystem::path& project);

/// A row of the history for a run that is about to begin.
StoredRun newRunOf(const TrainingSpec& spec, const std::filesystem::path& project);

/// Where the checkpoints of a run go: the specification's folder, or the run's own.
std::filesystem::path checkpointFolderOf(const TrainingSpec& spec,
                                         const std::filesystem::path& runFolder);

/// The state that a run can go on from.
struct ResumePoint {
    int64_t step = 0;                  ///< optimizer steps that are done
    std::filesystem::path checkpoint;  ///< empty: none was written, the run begins afresh
};

/// The last checkpoint of a run that was written to its end; checkpoints are put in place whole,
/// so a program that dies while writing leaves the one before.
ResumePoint resumePointOf(const StoredRun& run, const std::filesystem::path& project);

/// What a page about a run says of its settings: those that differ from their defaults, and a few
/// that are always told. "batch size" to "32".
LabelledValues describeRun(const RunSpec& run);
/// The same with the model, the loss and the optimizer.
LabelledValues describeChoices(const TrainingSpec& spec);

}  // namespace temper
