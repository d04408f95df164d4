// SPDX-License-Identifier: Apache-2.0
#include "engine/training/binding/target_input.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/core/shell_command.h"
#include "engine/data/clean_data.h"
#include "engine/training/session/run_properties.h"

namespace temper {
namespace {

/// Commands that make artifacts and train them. MODEL and DIR stand for what only the user knows.
std::string commandsFor(const std::vector<std::string>& options, const std::string& spec) {
    std::vector<std::string> artifacts = {"temper", "artifacts", "MODEL"};
    artifacts.insert(artifacts.end(), options.begin(), options.end());
    artifacts.insert(artifacts.end(), {"--out", "DIR"});
    return shellCommand(artifacts) + " && " +
           shellCommand({"temper", "train", "DIR", "--data", spec});
}

std::string commandsForClasses(const Column& column) {
    const size_t count = column.classes.size();
    std::vector<std::string> options = {"--loss", "cross-entropy"};
    if (count > 0) options.insert(options.end(), {"--head-classes", std::to_string(count)});
    return commandsFor(options, column.asClasses);
}

std::string commandsForNumbers(const Column& column) {
    return commandsFor({"--loss", "mse"}, column.asNumbers);
}

}  // namespace

const Graph& graphWithLoss(const TrainingSession& session) {
    const Artifacts& artifacts = session.artifacts();
    return artifacts.evalModel ? *artifacts.evalModel : *artifacts.trainingModel;
}

int64_t classesOf(const TrainingSession& session, const LossInfo& loss) {
    if (loss.kind != "cross-entropy") return 0;
    const Value* prediction = graphWithLoss(session).find(loss.prediction);
    if (prediction == nullptr || prediction->type().rank() < 2) return 0;
    const Dim& classes = (*prediction->type().shape)[1];
    return classes.isNumber() ? classes.value : 0;
}

void keepClassNames(TrainingSession& session, const Dataset& data,
                    const std::map<std::string, std::string>& binding) {
    const LossInfo loss = describeLoss(graphWithLoss(session));
    const auto bound = binding.find(loss.target);
    if (loss.kind != "cross-entropy" || bound == binding.end()) return;
    keepClassNames(session.state(), data.columns()[data.columnIndex(bound->second)]);
}

std::optional<Finding> objectionToReading(const std::string& input, const ValueType& type,
                                          const Column& column) {
    const bool wantsClasses = isInteger(type.dtype);
    const bool fits = wantsClasses ? !isFloating(column.dtype)
                                   : !isInteger(column.dtype) || !column.hasRenumberedClasses();
    if (fits || column.asClasses.empty() || column.asNumbers.empty()) return std::nullopt;
    const std::string found =
        wantsClasses ? "numbers" : counted(column.classes.size(), "class", "classes");
    const std::string message = "Column '" + column.name + "' was read as " + found +
                                ", but input '" + input + "', " + formatType(type) + ", takes " +
                                (wantsClasses ? "classes." : "numbers.");
    const std::string hint =
        wantsClasses
            ? "To train on classes, read it with --data " + shellCommand({column.asClasses}) +
                  ". To predict its numbers: " + commandsForNumbers(column)
            : "To predict its numbers, read it with --data " + shellCommand({column.asNumbers}) +
                  ". To train on classes: " + commandsForClasses(column);
    return Finding{"D002", Severity::Error, {}, {}, message, hint, {}};
}

std::string describeLabel(const Column& column, int64_t label) {
    const std::string index = std::to_string(label);
    if (label < 0 || label >= std::ssize(column.classes)) return index;
    const std::string& name = column.classes[static_cast<size_t>(label)];
    if (name == index) return index;
    return (column.hasRenumberedClasses() ? name : "'" + name + "'") + " (class " + index +
           ", counted from 0)";
}

std::string hintForLabel(const Column& column, int64_t classes, bool isOnlyTarget) {
    const std::string drop =
        isOnlyTarget && holdsClassIndices(column, classes)
            ? "\n    To skip samples with such labels, add invalid=drop to the data."
            : "";
    if (!isOnlyTarget || column.asNumbers.empty() || column.classes.empty())
        return "Number the classes from 0, or give the model more outputs." + drop;
    const bool areNumbers = column.hasRenumberedClasses() || !column.hasNamedClasses();
    const std::string numbers =
        areNumbers ? "\n    If it is a number to predict: " + commandsForNumbers(column) : "";
    return "If these are " + counted(std::ssize(column.classes), "class", "classes") +
           ", give the model as many outputs:\n    " + commandsForClasses(column) + numbers + drop;
}

TargetForm targetFormOf(const TrainingSession& session) {
    const LossInfo loss = describeLoss(graphWithLoss(session));
    const auto are = [&](bool (*kind)(DType)) {
        return !loss.targets.empty() &&
               std::ranges::all_of(loss.targets, [&](const std::string& name) {
                   return kind(session.inputType(name).dtype);
               });
    };
    if (are(isInteger)) return {TargetForm::Kind::Classes, classesOf(session, loss)};
    if (are(isFloating)) return {TargetForm::Kind::Numbers};
    return {};
}

}  // namespace temper
