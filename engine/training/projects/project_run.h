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

/// A forward model, as specifications and users name it: a file, or a lesson's
/// ("lesson:digits/model.onnx"). Types are not inferred; `remarks` are those of LoadOptions.
/// Throws: Error naming it.
std::unique_ptr<Graph> loadModelOrLesson(const std::string& model, const OpSet& ops,
                                         std::vector<Finding>* remarks = nullptr);

/// The specification that a run was made from, with absolute paths.
/// Throws: Error(InvalidInput) if the history does not have it, e.g. for an imported log.
TrainingSpec specOfRun(const StoredRun& run, const std::filesystem::path& project);

/// A row of the history for a run that is about to start.
StoredRun newRunOf(const TrainingSpec& spec, const std::filesystem::path& project);

/// The folder for a run's checkpoints: the specification's, or the run's own.
std::filesystem::path checkpointFolderOf(const TrainingSpec& spec,
                                         const std::filesystem::path& runFolder);

/// The state that a run can continue from.
struct ResumePoint {
    int64_t step = 0;                  ///< completed optimizer steps
    std::filesystem::path checkpoint;  ///< empty: none was written, the run starts over
};

/// The last complete checkpoint of a run; checkpoints are put in place whole, so a program that
/// dies while writing leaves the previous one.
ResumePoint resumePointOf(const StoredRun& run, const std::filesystem::path& project);

/// What a page about a run lists of its settings: those that differ from their defaults, and a few
/// that are always listed. "batch size" to "32".
LabelledValues describeRun(const RunSpec& run);
/// The same with the model, the loss, the optimizer and all other choices about them.
LabelledValues describeChoices(const TrainingSpec& spec);

}  // namespace temper
