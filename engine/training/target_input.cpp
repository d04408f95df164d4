// SPDX-License-Identifier: Apache-2.0
#include "engine/training/target_input.h"

#include <algorithm>

#include "engine/core/counted.h"
#include "engine/core/shell_command.h"
#include "engine/training/run_properties.h"

namespace temper {
namespace {

std::string dataOption(const std::string& spec) {
    return shellCommand(std::vector<std::string>{"--data", spec});
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
        wantsClasses ? "To train on classes, read it with " + dataOption(column.asClasses) +
                           "; to predict its numbers, keep " + dataOption(column.asNumbers) +
                           " and choose a loss such as mse."
                     : "To predict its numbers, read it with " + dataOption(column.asNumbers) +
                           "; to train on classes, keep " + dataOption(column.asClasses) +
                           " and choose a loss such as cross-entropy.";
    return Finding{"D002", Severity::Error, {}, {}, message, hint, {}};
}

std::string hintForLabel(const Column& column) {
    const std::string hint = "Number the classes from 0, or give the model more outputs";
    if (column.asNumbers.empty() || column.classes.empty()) return hint + ".";
    return hint + ": --head-classes " + std::to_string(column.classes.size()) + " with " +
           dataOption(column.asClasses) + ". If it is a number to predict, make the artifacts" +
           " with --loss mse and train with " + dataOption(column.asNumbers) + ".";
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
