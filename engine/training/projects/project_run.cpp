// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/project_run.h"

#include <charconv>

#include "engine/core/error.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/runs/run_journal.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLessonScheme = "lesson:";

std::string numberText(double value) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

}  // namespace

std::unique_ptr<Graph> loadModelOrLesson(const std::string& model, const OpSet& ops,
                                         std::vector<Finding>* remarks) {
    if (!model.starts_with(kLessonScheme)) {
        return loadModel(model, {.remarks = remarks,
                                 .noteExternalData = true,
                                 .unifyOpsets = opsetUnifier(ops.catalog)});
    }
    const std::string rest = model.substr(kLessonScheme.size());
    return loadLessonModel(findLesson(rest.substr(0, rest.find('/'))));
}

TrainingSpec specOfRun(const StoredRun& run, const fs::path& project) {
    if (run.spec.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "The history does not know the choices of run '" + run.name + "'.",
                    "It was imported from a log; open its model and choose again.");
    }
    return projectFromJson(run.spec, project).spec;
}

StoredRun newRunOf(const TrainingSpec& spec, const fs::path& project) {
    StoredRun run;
    run.spec = toJson(ProjectFile{spec, {}}, project);
    run.seed = static_cast<int64_t>(spec.run.seed);
    return run;
}

fs::path checkpointFolderOf(const TrainingSpec& spec, const fs::path& runFolder) {
    return spec.run.saveFolder.empty() ? runFolder : fs::path(spec.run.saveFolder);
}

ResumePoint resumePointOf(const StoredRun& run, const fs::path& project) {
    const TrainingSpec spec = specOfRun(run, project);
    const fs::path path = checkpointFolderOf(spec, runFolderOf(project, run)) / "last.ckpt";
    if (!fs::exists(path)) return {};
    const CheckpointFile file = readCheckpoint(path);
    if (file.optimizerGroups.empty()) return {};
    return {file.optimizerGroups.front().step, path};
}

LabelledValues describeChoices(const TrainingSpec& spec) {
    const RunSpec& run = spec.run;
    LabelledValues choices{{"model", spec.model},
                           {"data", run.data},
                           {"loss", spec.artifacts.loss.key},
                           {"optimizer", spec.artifacts.optimizer.key}};
    if (!run.evalData.empty()) choices.emplace_back("evaluation data", run.evalData);
    choices.emplace_back(run.steps > 0 ? "steps" : "epochs",
                         std::to_string(run.steps > 0 ? run.steps : run.epochs));
    choices.emplace_back("batch size", std::to_string(run.batchSize));
    choices.emplace_back("learning rate", numberText(run.learningRate));
    choices.emplace_back("schedule", run.schedule.key);
    choices.emplace_back("seed", std::to_string(run.seed));
    return choices;
}

}  // namespace temper
