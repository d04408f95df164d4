// SPDX-License-Identifier: Apache-2.0
#include "app/cli/project_training.h"

#include <ostream>

#include "app/cli/artifact_options.h"
#include "app/cli/data_options.h"
#include "app/cli/interrupt_watcher.h"
#include "app/cli/run_profile.h"
#include "app/cli/run_reporter.h"
#include "app/cli/version.h"
#include "engine/core/output_check.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/runs/html_report.h"
#include "engine/runs/run_journal.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/projects/command_line.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"
#include "engine/training/session/model_fingerprint.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// The run to continue: the newest that did not reach its end.
StoredRun unfinishedRun(const fs::path& project) {
    RunStore store(runStorePath(project));
    markInterrupted(store, project);
    for (StoredRun& run : store.runs()) {
        const bool unfinished = run.status == RunStatus::Interrupted ||
                                run.status == RunStatus::Stopped || run.status == RunStatus::Failed;
        if (unfinished && !run.isTrashed && !run.spec.empty()) return std::move(run);
    }
    throw Error(ErrorCode::NotFound,
                "The project '" + project.string() + "' has no run to continue.",
                "To start one, train without --continue.");
}

void requireNotFinished(const StoredRun& run) {
    if (run.status != RunStatus::Finished) return;
    throw Error(ErrorCode::State, "The run '" + run.name + "' has finished.",
                "Start a new run of the project.");
}

/// One run of a project, from its choices to its end.
class ProjectRun {
public:
    ProjectRun(const ProjectTraining& options, CliContext& context)
        : options_(options), context_(context), folder_(options.folder) {
        if (options.run == 0 && !options.continuesRun) {
            spec_ = readProject(folder_).spec;
            run_ = newRunOf(spec_, folder_);
            return;
        }
        // Read under its lock: nobody else trains it meanwhile.
        const int64_t id = options.run == 0 ? unfinishedRun(folder_).id : options.run;
        const RunStore store(runStorePath(folder_));
        lock_ = lockRun(folder_, store.run(id));
        run_ = store.run(id);
        requireNotFinished(run_);
        spec_ = specOfRun(run_, folder_);
        continues_ = run_.status != RunStatus::Waiting;
        if (continues_) resume_ = resumePointOf(run_, folder_);
    }

    void run() {
        requireWritableFile(options_.report);
        RunProfile profile(options_.profile);
        OpenSession open = openSession(makeArtifacts(), spec_.run.session);
        if (!resume_.checkpoint.empty()) {
            open.state->assign(loadCheckpoint(resume_.checkpoint));
            printFindings(context_.err, checkpointFindings(open.session->artifacts(), *open.state));
        }
        const OpenedData data =
            openDataFor(spec_.run.data, spec_.run.evalData, *open.session, context_);
        bindRun(*open.session, data, spec_.run, context_);
        const bool isJob = options_.control != nullptr;
        const RunSettings settings{spec_.model,
                                   isJob ? commandLineOf(spec_, folder_) : context_.commandLine,
                                   describeChoices(spec_), environmentOfRun(spec_.run.session)};
        RunReporter reporter(context_, settings, options_.log);
        const auto journal =
            continues_ ? RunJournal::resume(folder_, run_, settings, resume_.step, std::move(lock_))
                       : RunJournal::begin(folder_, run_, settings, std::move(lock_));
        spec_.run.saveFolder = checkpointFolderOf(spec_, journal->folder()).string();
        train(*open.session, data, {reporter, *journal, profile});
        profile.finish(*open.session, context_);
        if (!options_.report.empty()) {
            writeHtmlReport(readRunLog(runLogPath(journal->folder())), options_.report);
        }
        context_.out << "run " << journal->run().id << ": " << journal->folder().string() << '\n';
        reporter.requireSuccess();
    }

private:
    Artifacts makeArtifacts() const {
        const OpSet ops = standardOps();
        const std::unique_ptr<Graph> model = loadModelOrLesson(spec_.model, ops);
        inferTypes(*model, ops.catalog);
        editModel(*model, ops, spec_);
        return generateArtifacts(*model, ops, spec_.artifacts);
    }

    /// The observers of a run.
    struct Observers {
        RunReporter& reporter;
        RunJournal& journal;
        RunProfile& profile;
    };

    void train(TrainingSession& session, const OpenedData& data, const Observers& observers) const {
        RunControl own;
        RunControl& control = options_.control != nullptr ? *options_.control : own;
        const InterruptWatcher interrupts([&control] { control.stop(); });
        Trainer trainer(session, {data.training, data.evaluation, spec_.run.binding}, spec_.run,
                        control, [&](const RunEvent& event) {
                            observers.journal.write(event);
                            observers.reporter(event);
                        });
        observers.profile.watch(trainer);
        trainer.run();
    }

    const ProjectTraining& options_;
    CliContext& context_;
    const fs::path folder_;
    TrainingSpec spec_;
    std::unique_ptr<ProcessLock> lock_;  ///< of a run of the history, until its journal has it
    StoredRun run_;
    bool continues_ = false;
    ResumePoint resume_;
};

}  // namespace

void trainProject(const ProjectTraining& options, CliContext& context) {
    ProjectRun(options, context).run();
}

}  // namespace temper::cli
