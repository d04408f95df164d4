// SPDX-License-Identifier: Apache-2.0
#include "engine/training/projects/command_line.h"

#include <algorithm>
#include <charconv>

#include "engine/core/joined.h"
#include "engine/core/shell_command.h"
#include "engine/training/loss/loss_function.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "engine/training/optimizers/optimizers.h"
#include "engine/training/spec/run_settings.h"

namespace temper {
namespace {

constexpr const char* kArtifactFolder = "artifacts";

/// The shortest text that gives the same number.
std::string textOf(double value) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string flagOf(std::string key) {
    std::ranges::replace(key, '_', '-');
    return "--" + key;
}

/// A command and its growing list of flags.
class Arguments {
public:
    explicit Arguments(std::vector<std::string> command = {}) : command_(std::move(command)) {}

    void add(const std::string& flag, const std::string& value) {
        flags_.push_back({flag, {value}});
    }
    template <typename T>
    void addUnless(const std::string& flag, const T& value, const T& standard) {
        if (value == standard) return;
        if constexpr (std::is_same_v<T, std::string>) {
            add(flag, value);
        } else {
            add(flag, std::to_string(value));
        }
    }
    void addFlag(const std::string& flag, bool given) {
        if (given) flags_.push_back({flag, {}});
    }
    /// The flag once, then all values.
    void addAll(const std::string& flag, const std::vector<std::string>& values) {
        if (!values.empty()) flags_.push_back({flag, values});
    }
    void addSelection(const std::string& flag, const Selection& selection,
                      const std::vector<Choice>& choices);
    const std::vector<GivenFlag>& flags() const { return flags_; }
    std::string line() const;

private:
    std::vector<std::string> command_;
    std::vector<GivenFlag> flags_;
};

std::string Arguments::line() const {
    std::vector<std::string> words = command_;
    for (const GivenFlag& flag : flags_) {
        words.push_back(flag.name);
        words.insert(words.end(), flag.values.begin(), flag.values.end());
    }
    return scriptCommand(words);
}

bool isSwitch(const Selection& selection, const std::vector<Choice>& choices,
              const std::string& key) {
    for (const Choice& choice : choices) {
        if (choice.key != selection.key) continue;
        for (const HyperParameter& parameter : choice.hyperParameters) {
            if (parameter.key == key) return parameter.kind == HyperParameter::Kind::Switch;
        }
    }
    return false;
}

void Arguments::addSelection(const std::string& flag, const Selection& selection,
                             const std::vector<Choice>& choices) {
    if (selection.key != choices.front().key) add(flag, selection.key);
    for (const auto& [key, value] : selection.values) {
        if (isSwitch(selection, choices, key)) {
            addFlag(flagOf(key), value != 0);
        } else {
            add(flagOf(key), textOf(value));
        }
    }
    for (const auto& [key, list] : selection.lists) add(flagOf(key), joinedBy(",", list, textOf));
}

std::string groupText(const ParameterGroup& group) {
    std::string text = group.pattern + ":lr=" + textOf(group.learningRateFactor);
    if (group.weightDecay) text += ",weight_decay=" + textOf(*group.weightDecay);
    if (group.startStep != 0) text += ",start_step=" + std::to_string(group.startStep);
    return text;
}

void addEdits(Arguments& arguments, const TrainingSpec& spec) {
    for (const auto& [input, value] : spec.fixedInputs) {
        arguments.add("--fix-input", input + "=" + textOf(value));
    }
    arguments.addFlag("--free-batch", spec.freeBatch);
    arguments.addUnless("--head-classes", spec.headClasses, int64_t{0});
    arguments.addUnless("--hidden-units", hiddenUnitsText(spec.hiddenUnits), std::string());
    arguments.addAll("--replace", spec.replace);
    arguments.addAll("--tie", spec.sharing.tie);
    arguments.addAll("--untie", spec.sharing.untie);
    arguments.addAll("--part", spec.sharing.part);
    arguments.addAll("--keep-merged", spec.sharing.keepMerged);
    for (const auto& [from, to] : spec.rename) arguments.add("--rename", from + "=" + to);
    arguments.addAll("--restore-norm", spec.restoreNorms);
}

/// All but the loss and the optimizer.
void addArtifacts(Arguments& arguments, const ArtifactSpec& artifacts) {
    for (const ParameterGroup& group : artifacts.parameterGroups) {
        arguments.add("--group", groupText(group));
    }
    arguments.addFlag("--no-decay-on-biases-and-norms", !artifacts.decayBiasesAndNorms);
    arguments.addAll("--train", artifacts.trainable);
    arguments.addAll("--freeze", artifacts.frozen);
    arguments.addAll("--loss-input", artifacts.lossInputs);
    arguments.addAll("--extra-output", artifacts.extraOutputs);
    arguments.addAll("--straight-through", artifacts.straightThrough);
    arguments.addAll("--stop-gradient", artifacts.stopGradient);
    arguments.addAll("--freeze-statistics", artifacts.frozenStatistics);
    arguments.addUnless("--prefix", artifacts.prefix, std::string());
    arguments.addFlag("--ort-format", artifacts.ortFormat);
    arguments.addFlag("--nominal-checkpoint", artifacts.nominalCheckpoint);
}

/// The statistics of restored batch normalizations come from it.
void addDataOfNorms(Arguments& arguments, const TrainingSpec& spec) {
    if (spec.restoreNorms.empty()) return;
    arguments.add("--data", spec.run.data);
    for (const auto& [input, column] : spec.run.binding)
        arguments.add("--bind", input + "=" + column);
}

std::string artifactsLine(const TrainingSpec& spec) {
    Arguments arguments({"temper", "artifacts", spec.model, "--out", kArtifactFolder});
    addEdits(arguments, spec);
    addDataOfNorms(arguments, spec);
    arguments.addSelection("--loss", spec.artifacts.loss, lossChoices());
    arguments.addSelection("--optimizer", spec.artifacts.optimizer, optimizerChoices());
    addArtifacts(arguments, spec.artifacts);
    return arguments.line();
}

/// One setting, as its flag says it.
void addSetting(Arguments& arguments, const Setting<RunSpec>& setting, RunSpec run) {
    const SettingValue value = setting.value(run);
    if (std::holds_alternative<bool*>(value)) {
        arguments.addFlag(setting.flag, true);
    } else if (const auto* pairs = std::get_if<std::map<std::string, std::string>*>(&value)) {
        for (const auto& [input, column] : **pairs)
            arguments.add(setting.flag, input + "=" + column);
    } else if (const auto* selection = std::get_if<Selection*>(&value)) {
        arguments.addSelection(setting.flag, **selection, scheduleChoices());
    } else {
        arguments.add(setting.flag, settingText(value));
    }
}

std::string trainLine(const TrainingSpec& spec) {
    RunSpec run = spec.run;
    if (run.saveFolder.empty()) run.saveFolder = "checkpoints";
    Arguments arguments({"temper", "train", kArtifactFolder});
    arguments.addUnless("--prefix", spec.artifacts.prefix, std::string());
    for (const Setting<RunSpec>& setting : runSettings()) {
        if (setting.flag.empty() || isReplaced(setting, run) || isDefault(setting, run)) continue;
        addSetting(arguments, setting, run);
    }
    return arguments.line();
}

}  // namespace

std::vector<GivenFlag> artifactFlags(const TrainingSpec& spec) {
    Arguments arguments;
    addEdits(arguments, spec);
    addArtifacts(arguments, spec.artifacts);
    return arguments.flags();
}

std::string commandLineOf(const TrainingSpec& spec, const std::filesystem::path& project) {
    if (!project.empty()) return scriptCommand({"temper", "train", project.string()});
    return artifactsLine(spec) + " && " + trainLine(spec);
}

}  // namespace temper
