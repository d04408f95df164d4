// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/project_run.h"

#include <algorithm>
#include <optional>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/core/lower_case.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/runs/run_journal.h"
#include "engine/runs/run_log.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/spec/artifact_choices.h"
#include "engine/training/spec/run_settings.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLessonScheme = "lesson:";

/// Whether the run has written its last checkpoint at this step.
bool hasSavedAt(const fs::path& runFolder, int64_t step) {
    const fs::path log = runLogPath(runFolder);
    if (!fs::exists(log)) return false;
    std::optional<int64_t> saved;
    for (const RunEvent& event : readRunEvents(log)) {
        const auto* checkpoint = std::get_if<CheckpointEvent>(&event.fact);
        if (checkpoint != nullptr && checkpoint->kind == "last") saved = checkpoint->step;
    }
    return saved == step;
}

/// A switch that is on by default has a flag that turns it off.
std::string valueOf(const GivenFlag& flag) {
    if (!flag.values.empty()) return joined(flag.values);
    return flag.name.starts_with("--no-") ? "off" : "on";
}

/// "--freeze conv1 conv2" as "frozen parameters" and "conv1, conv2". A flag that is repeated is one
/// row.
void addFlag(LabelledValues& choices, const GivenFlag& flag) {
    const std::string label = withSmallFirst(artifactChoice(flag.name).label);
    const std::string value = valueOf(flag);
    if (choices.back().first == label) {
        choices.back().second += ", " + value;
    } else {
        choices.emplace_back(label, value);
    }
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
                    "The history has no settings for run '" + run.name + "'.",
                    "It was imported from a log; open its model and choose the settings again.");
    }
    return projectFromJson(run.spec, project).spec;
}

StoredRun newRunOf(const TrainingSpec& spec, const fs::path& project) {
    StoredRun run;
    run.spec = toJson(ProjectFile{spec, {}}, project);
    run.seed = static_cast<int64_t>(spec.run.session.seed);
    return run;
}

fs::path checkpointFolderOf(const TrainingSpec& spec, const fs::path& runFolder) {
    return spec.run.saveFolder.empty() ? runFolder : fs::path(spec.run.saveFolder);
}

ResumePoint resumePointOf(const StoredRun& run, const fs::path& project) {
    const TrainingSpec spec = specOfRun(run, project);
    const fs::path folder = runFolderOf(project, run);
    const fs::path path = checkpointFolderOf(spec, folder) / "last.ckpt";
    if (!fs::exists(path)) return {};
    const CheckpointFile file = readCheckpoint(path);
    if (file.optimizerGroups.empty()) return {};
    const int64_t step = file.optimizerGroups.front().step;
    // In a folder of several runs, it may be the checkpoint of another one.
    if (!spec.run.saveFolder.empty() && !hasSavedAt(folder, step)) return {};
    return {step, path};
}

LabelledValues describeRun(const RunSpec& run) {
    LabelledValues choices;
    for (const Setting<RunSpec>& setting : runSettings()) {
        if (isReplaced(setting, run) || (!setting.isAlwaysTold && isDefault(setting, run)))
            continue;
        const std::string unit = setting.unit.empty() ? "" : " " + setting.unit;
        choices.emplace_back(withSmallFirst(setting.label), settingText(setting, run) + unit);
    }
    return choices;
}

LabelledValues describeChoices(const TrainingSpec& spec) {
    LabelledValues choices{{"model", spec.model},
                           {"loss", selectionText(spec.artifacts.loss)},
                           {"optimizer", selectionText(spec.artifacts.optimizer)}};
    for (const GivenFlag& flag : artifactFlags(spec)) addFlag(choices, flag);
    const LabelledValues ofRun = describeRun(spec.run);
    choices.insert(choices.end(), ofRun.begin(), ofRun.end());
    return choices;
}

}  // namespace temper
