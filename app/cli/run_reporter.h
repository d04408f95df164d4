// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "app/cli/cli_context.h"
#include "app/cli/progress_bar.h"
#include "engine/runs/run_log.h"
#include "engine/runs/run_record.h"

namespace temper::cli {

/// Reports a run: a line for each epoch, evaluation and checkpoint (of those named "last" only the
/// final one) to standard output, warnings and a progress bar to standard error, every event to a
/// log, and everything to a record.
class RunReporter {
public:
    /// `logFile` empty: no log. Throws: Error(Io) if it can't be written.
    RunReporter(CliContext& context, RunSettings settings, const std::string& logFile);

    /// For TrainerCallback.
    void operator()(const RunEvent& event);

    const RunRecord& record() const { return record_; }
    /// Throws: Error with the reason if the run failed.
    void requireSuccess() const;

private:
    void tell(const StartedEvent& fact);
    void tell(const StepEvent& fact);
    void tell(const EpochEvent& fact);
    void tell(const EvalEvent& fact);
    void tell(const CheckpointEvent& fact);
    void tell(const CheckpointRemovedEvent&) {}
    void tell(const WarningEvent& fact);
    void tell(const PausedEvent&) {}
    void tell(const ResumedEvent&) {}
    void tell(const LearningRateEvent&) {}
    void tell(const RolledBackEvent&) {}
    void tell(const LayersEvent&) {}
    void tell(const EndEvent& fact);
    bool didNothing(const EndEvent& fact) const;
    void printLine(const std::string& line);

    CliContext& context_;
    RunRecord record_;
    std::unique_ptr<RunLog> log_;
    ProgressBar bar_;
};

}  // namespace temper::cli
