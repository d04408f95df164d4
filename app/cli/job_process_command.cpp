// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/project_training.h"
#include "engine/jobs/job_checkpoints.h"
#include "engine/jobs/job_process.h"
#include "engine/jobs/job_status.h"
#include "engine/jobs/request_pipe.h"
#include "engine/runs/run_journal.h"

namespace temper::cli {
namespace {

void runJob(const JobFolder& folder, int64_t id, CliContext& context) {
    const auto lock = ProcessLock::take(folder.lockOf(id));
    if (lock == nullptr) {
        context.exitStatus = kJobIsTaken;
        return;
    }
    JobStore store(folder.database());
    const Job job = store.job(id);
    try {
        RunControl control;
        const RequestPipe requests(
            folder.pipeOf(id),
            [&control, checkpoints = checkpointFolderOf(job)](const JobRequest& request) {
                serve(request, checkpoints, control);
            });
        // It may have been stopped before it had a pipe.
        if (const Job now = store.job(id); now.isOver || !now.stop.empty()) return;
        trainProject({.folder = job.project.string(), .run = job.run, .control = &control},
                     context);
    } catch (const Error& error) {
        // Another program has trained the run, or does so.
        const StoredRun run = runOf(job);
        if (error.code() == ErrorCode::State &&
            (run.status == RunStatus::Finished || isHeld(job.project, run))) {
            context.exitStatus = kJobIsTaken;
            return;
        }
        // The log of a run that failed has the reason.
        if (run.status != RunStatus::Failed) store.end(id, error.what(), error.hint());
        throw;
    }
}

}  // namespace

/// For JobQueue, not for people.
void addJobProcessCommand(CLI::App& app, CliContext& context) {
    struct Options {
        std::string folder;
        int64_t job = 0;
    };
    auto* command = app.add_subcommand("run-job", "Run a job of a server");
    command->group("");
    const auto options = std::make_shared<Options>();
    command->add_option("FOLDER", options->folder)->required();
    command->add_option("JOB", options->job)->required();
    command->callback(
        [options, &context] { runJob(JobFolder(options->folder), options->job, context); });
}

}  // namespace temper::cli
