// SPDX-License-Identifier: Apache-2.0
#include "app/cli/spec_options.h"

#include <cstdlib>
#include <optional>
#include <sstream>

#include "engine/core/error.h"
#include "engine/ir/type_inference.h"
#include "engine/training/projects/project_run.h"

namespace temper::cli {

namespace {

[[noreturn]] void failGroup(const std::string& text) {
    throw Error(
        ErrorCode::InvalidInput,
        "The parameter group '" + text +
            "' is invalid; expected PATTERN:lr=FACTOR,weight_decay=NUMBER,start_step=STEPS.",
        "Give at least one of them, as in 'head.*:lr=0.1'; STEPS is a whole number.");
}

double numberOf(const std::string& text, const std::string& group) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != 0) failGroup(group);
    return value;
}

constexpr const char* kFixInputExample = "--fix-input sr=16000";

[[noreturn]] void failForm(const std::string& text, const std::string& what,
                           const std::string& example) {
    throw Error(ErrorCode::InvalidInput, "'" + text + "' is invalid as " + what + ".",
                "Write " + example + ", for example.");
}

/// "a=b" as a and b, neither empty.
std::pair<std::string, std::string> splitAtEquals(const std::string& text, const std::string& what,
                                                  const std::string& example) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
        failForm(text, what, example);
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

void requireOnce(bool isNew, const std::string& name, const std::string& done) {
    if (isNew) return;
    const std::string expected = done == "renamed" ? "one new name" : "one value";
    throw Error(ErrorCode::InvalidInput,
                "'" + name + "' is " + done + " twice; expected " + expected + ".",
                "Remove one of them.");
}

std::optional<double> truthOrNumber(const std::string& text) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return *end == 0 ? std::optional(value) : std::nullopt;
}

std::string formulaHelp() {
    std::string text =
        "Formulas weight and add losses of outputs and targets, which become inputs:\n"
        "  --loss '0.4*mse(out1, target1) + 0.6*l1(out2, target2) + 0.001*l2(\"*.weight\")'\n"
        "Names that are not words need quotes; the numbers shown are the defaults. Every loss\n"
        "takes reduction=mean, sum or none (kl_div also batchmean), ignore_index has no "
        "effect\nuntil it is set. Available losses:\n";
    for (const std::string& call : formulaCalls()) text += "  " + call + "\n";
    return text;
}

}  // namespace

/// Names may hold colons: the last one ends the pattern.
ParameterGroup parseParameterGroup(const std::string& text) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) failGroup(text);
    ParameterGroup group{text.substr(0, colon)};
    std::istringstream settings(text.substr(colon + 1));
    for (std::string setting; std::getline(settings, setting, ',');) {
        const size_t equals = setting.find('=');
        if (equals == std::string::npos) failGroup(text);
        const std::string key = setting.substr(0, equals);
        const double value = numberOf(setting.substr(equals + 1), text);
        if (key == "lr") {
            group.learningRateFactor = value;
        } else if (key == "weight_decay") {
            group.weightDecay = value;
        } else if (key == "start_step" && value == std::trunc(value) && std::abs(value) < 1e15) {
            group.startStep = static_cast<int64_t>(value);
        } else {
            failGroup(text);
        }
    }
    return group;
}

void SpecOptions::addTo(CLI::App& command) {
    loss.addTo(command, "Loss, or a formula");
    command.footer(formulaHelp());
    optimizer.addTo(command, "Optimizer");
    command
        .add_option("--group", groups,
                    "PATTERN:lr=FACTOR,weight_decay=NUMBER,start_step=STEPS: parameters with other "
                    "settings; until start_step steps are done they do not change; "
                    "PATTERN may be a list: 'fc1.weight, conv*, !conv1.bias'")
        ->allow_extra_args(false);
    command.add_flag("--no-decay-on-biases-and-norms", leavesBiasesAndNorms,
                     "No weight decay for parameters with one dimension");
    command.add_option("--train", train, "Parameters to train: names or patterns such as 'fc*'");
    command.add_option("--freeze", freeze, "Parameters to freeze: names or patterns");
    command.add_option("--loss-input", lossInputs, "Model output that the loss reads");
    command.add_option("--extra-output", extraOutputs,
                       "Additional outputs of the training and eval model");
}

void SpecOptions::addGradientChoicesTo(CLI::App& command) {
    command.add_option("--straight-through", straightThrough,
                       "Operators (Round, Floor, Ceil, Sign, ...) or nodes with zero derivative "
                       "that pass gradients through unchanged");
    command.add_option("--stop-gradient", stopGradient,
                       "Nodes, patterns of them or values at which gradients stop; parameters "
                       "without another gradient are frozen");
    command.add_option("--freeze-statistics", frozenStatistics,
                       "Batch normalizations that keep and use their running statistics in "
                       "training: patterns of names of nodes or of their tensors, '*' for all");
    command.add_option(
        "--replace", replace,
        "Operators (If, ...) or nodes without gradient to replace with others that have one");
}

void SpecOptions::addSharingChoicesTo(CLI::App& command) {
    command.add_option("--tie", sharing.tie,
                       "Tensors that are equal, or transposes of each other, to train as one: "
                       "names or patterns");
    command.add_option("--untie", sharing.untie,
                       "Parameters whose copies in the model train separately: names or patterns");
    command.add_option("--part", sharing.part,
                       "Tensors to split into one per node: names or patterns");
    command.add_option(
        "--keep-merged", sharing.keepMerged,
        "Tensors to keep as exported, although they hold several parameters or were computed from "
        "one: names or patterns");
}

ArtifactSpec SpecOptions::spec() const {
    ArtifactSpec spec;
    spec.trainable = train;
    spec.frozen = freeze;
    spec.loss = loss.selection();
    spec.lossInputs = lossInputs;
    spec.optimizer = optimizer.selection();
    requireValid(spec.optimizer, optimizerChoices());
    for (const std::string& group : groups) {
        spec.parameterGroups.push_back(parseParameterGroup(group));
    }
    spec.decayBiasesAndNorms = !leavesBiasesAndNorms;
    spec.extraOutputs = extraOutputs;
    spec.straightThrough = straightThrough;
    spec.stopGradient = stopGradient;
    spec.frozenStatistics = frozenStatistics;
    return spec;
}

void addRenameOption(CLI::App& command, std::vector<std::string>& renames) {
    command.add_option("--rename", renames, "Rename an input or output of the model")
        ->type_name("OLD=NEW")
        ->allow_extra_args(false);
}

std::map<std::string, std::string> parseRenames(const std::vector<std::string>& texts) {
    std::map<std::string, std::string> renames;
    for (const std::string& text : texts) {
        auto [name, next] =
            splitAtEquals(text, "a new name; expected OLD=NEW", "--rename image=pixels");
        requireOnce(renames.emplace(name, std::move(next)).second, name, "renamed");
    }
    return renames;
}

void addFixInputOption(CLI::App& command, std::vector<std::string>& fixedInputs) {
    command
        .add_option("--fix-input", fixedInputs,
                    "Set an input of the model to a constant before anything else; an If that it "
                    "decides becomes the branch")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

FixedInputs parseFixedInputs(const std::vector<std::string>& texts) {
    FixedInputs inputs;
    const std::string what = "a constant input; expected NAME=VALUE with a number, true or false";
    for (const std::string& text : texts) {
        const auto [name, value] = splitAtEquals(text, what, kFixInputExample);
        const std::optional<double> number = truthOrNumber(value);
        if (!number) failForm(text, what, kFixInputExample);
        requireOnce(inputs.emplace(name, *number).second, name, "fixed");
    }
    return inputs;
}

std::unique_ptr<Graph> loadForwardModel(const std::string& path, const OpSet& ops,
                                        const FixedInputs& fixedInputs,
                                        std::vector<Finding>* remarks) {
    std::unique_ptr<Graph> model = loadModelOrLesson(path, ops, remarks);
    for (const Finding& finding : inferTypes(*model, ops.catalog)) {
        if (finding.severity != Severity::Error) continue;
        Error error(ErrorCode::InvalidInput, finding.message, finding.hint);
        error.addContext("model '" + path + "'");
        throw error;
    }
    fixInputs(*model, ops, fixedInputs);
    return model;
}

}  // namespace temper::cli
