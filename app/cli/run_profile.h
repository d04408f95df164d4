// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/cli/cli_context.h"
#include "app/cli/trace_file.h"
#include "engine/training/monitors/step_profiler.h"
#include "engine/training/trainer/trainer.h"

namespace temper::cli {

/// The profile of a run (--profile): a Chrome trace of some of its steps, and a table of them.
class RunProfile {
public:
    /// `file` empty: profiling is off. Throws: Error(Io) naming a file that can't be written.
    explicit RunProfile(const std::string& file);

    /// Before the run.
    void watch(Trainer& trainer);
    /// After the run, whatever its outcome: writes the trace, prints the table to standard error.
    /// Throws: Error(Io).
    void finish(const TrainingSession& session, CliContext& context);

private:
    std::string file_;
    std::optional<TraceFile> trace_;
    StepProfiler profiler_;
};

}  // namespace temper::cli
