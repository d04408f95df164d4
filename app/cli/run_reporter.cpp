// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_reporter.h"

#include <algorithm>
#include <ostream>

#include "engine/core/counted.h"
#include "engine/core/printable.h"

namespace temper::cli {

RunReporter::RunReporter(CliContext& context, RunSettings settings, const std::string& logFile)
    : context_(context), bar_(context.terminal, context.errIsTerminal) {
    record_.settings = std::move(settings);
    if (logFile.empty()) return;
    log_ = std::make_unique<RunLog>(logFile);
    log_->write(record_.settings);
}

void RunReporter::operator()(const RunEvent& event) {
    if (log_) log_->write(event);
    record_.add(event);
    std::visit([this](const auto& fact) { tell(fact); }, event.fact);
}

void RunReporter::requireSuccess() const {
    if (!record_.end || record_.end->outcome != RunOutcome::Failed) return;
    const EndEvent& end = *record_.end;
    const std::string code = end.code.empty() ? "" : end.code + ": ";
    const std::string where = end.node.empty() ? "" : " (" + end.node + ")";
    throw Error(ErrorCode::Numeric,
                "The training failed at step " + std::to_string(end.step) + ": " + code +
                    end.message + where,
                end.hint);
}

void RunReporter::printLine(const std::string& line) {
    bar_.clear();
    context_.out << printableLine(line) << std::endl;
}

void RunReporter::tell(const StartedEvent& fact) {
    bar_.begin(fact.totalSteps, fact.firstStep);
    printLine("training " + std::to_string(fact.trainableParameters) + " of " +
              counted(fact.parameters, "parameter") + ", " +
              counted(std::max<int64_t>(fact.totalSteps - fact.firstStep, 0), "step"));
}

void RunReporter::tell(const StepEvent& fact) {
    bar_.update(fact.step, "step " + std::to_string(fact.step) + "  loss " +
                               formatNumber(fact.loss) + "  lr " + formatNumber(fact.learningRate));
}

void RunReporter::tell(const EpochEvent& fact) {
    printLine("epoch " + std::to_string(fact.epoch) + ": training loss " +
              formatNumber(fact.meanLoss) + ", " + formatNumber(fact.seconds) + " s");
}

void RunReporter::tell(const EvalEvent& fact) {
    std::string line =
        "step " + std::to_string(fact.step) + ": evaluation loss " + formatNumber(fact.loss);
    for (const auto& [name, value] : fact.metrics) line += ", " + name + " " + formatNumber(value);
    printLine(line);
}

void RunReporter::tell(const CheckpointEvent& fact) {
    if (fact.kind != "last") printLine("checkpoint (" + fact.kind + "): " + fact.path);
}

void RunReporter::tell(const WarningEvent& fact) {
    bar_.clear();
    printProblem(context_.err, "warning", fact.message, fact.hint);
}

/// Resumed at or after the last step.
bool RunReporter::didNothing(const EndEvent& fact) const {
    return fact.outcome == RunOutcome::Finished && record_.started &&
           record_.started->firstStep >= record_.started->totalSteps;
}

void RunReporter::tell(const EndEvent& fact) {
    if (didNothing(fact)) {
        printLine("nothing left to do: the state had done " + counted(fact.step, "step") +
                  ", and the run ends at step " + std::to_string(record_.started->totalSteps));
    } else {
        printLine(std::string(outcomeName(fact.outcome)) + " after " + counted(fact.step, "step") +
                  ", " + formatNumber(fact.seconds) + " s");
    }
    const auto isLast = [](const CheckpointEvent& saved) { return saved.kind == "last"; };
    const auto last =
        std::ranges::find_if(record_.checkpoints.rbegin(), record_.checkpoints.rend(), isLast);
    if (last != record_.checkpoints.rend()) printLine("checkpoint (last): " + last->path);
}

}  // namespace temper::cli
