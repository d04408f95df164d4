// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "app/cli/artifact_options.h"
#include "app/cli/command_flags.h"
#include "app/cli/commands.h"
#include "app/cli/data_options.h"
#include "app/cli/interrupt_watcher.h"
#include "app/cli/project_training.h"
#include "app/cli/ranks.h"
#include "app/cli/run_profile.h"
#include "app/cli/run_reporter.h"
#include "app/cli/version.h"
#include "engine/core/caught_error.h"
#include "engine/core/output_check.h"
#include "engine/runs/html_report.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"
#include "engine/training/session/run_properties.h"

namespace temper::cli {
namespace {

constexpr int kMaxRanks = 4096;

struct TrainOptions {
    ArtifactOptions artifacts;
    RunFlags flags;
    int ranks = 0;
    std::string resume;
    bool continuesRun = false;
    bool setsRate = false;  ///< --lr was given
    std::string log;
    std::string report;
    std::string profile;
};

/// What a page about the run lists as its choices.
LabelledValues choicesOf(const TrainOptions& options, const RunSpec& run) {
    LabelledValues choices{{"artifacts", options.artifacts.folder}};
    const LabelledValues ofRun = describeRun(run);
    choices.insert(choices.end(), ofRun.begin(), ofRun.end());
    if (!options.resume.empty()) choices.emplace_back("continued from", options.resume);
    return choices;
}

RunSettings settingsOf(const TrainOptions& options, const RunSpec& run, const CliContext& context) {
    const std::string name = std::filesystem::path(options.artifacts.folder).filename().string();
    return {"Training " + (name.empty() ? options.artifacts.trainModel : name), context.commandLine,
            choicesOf(options, run), environmentOfRun(run.session)};
}

/// The artifacts, with the state to continue from instead of their checkpoint.
ArtifactPaths pathsOf(const TrainOptions& options) {
    ArtifactOptions artifacts = options.artifacts;
    if (!options.resume.empty()) artifacts.checkpoint = options.resume;
    return resolveArtifacts(artifacts);
}

/// The ranks of a machine share its cores.
int threadsOfRank() {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(cores / ranksOnMachine(), 1);
}

void reportCosts(const ExchangeCosts& costs, int ranks, CliContext& context) {
    if (costs.steps == 0) return;
    const auto steps = static_cast<double>(costs.steps);
    const double hidden = 1 - costs.waitSeconds / costs.exchangeSeconds;
    context.out << ranks << " ranks: rank 0 sends "
                << formatBytes(static_cast<double>(costs.bytesSent) / steps)
                << " in a step; exchanging gradients takes "
                << formatNumber(1000 * costs.exchangeSeconds / steps) << " ms, of which "
                << std::lround(100 * hidden) << " % are hidden by computation" << std::endl;
}

/// The run itself; `group`: the ranks that share it, or null.
void trainIn(Group* group, const TrainOptions& options, CliContext& context) {
    const bool reports = group == nullptr || group->isLeader();
    if (reports) requireWritableFolder(options.flags.run.saveFolder);
    if (reports) requireWritableFile(options.report);
    RunSpec spec = options.flags.spec();
    if (group != nullptr && spec.session.threads == 0) spec.session.threads = threadsOfRank();
    RunProfile profile(reports ? options.profile : "");
    const OpenSession open = openSession(pathsOf(options), spec.session, context);
    const bool continues = !options.resume.empty();
    OpenedData data =
        openDataFor(spec.data, spec.evalData, *open.session, context,
                    continues ? keptClasses(open.session->state()) : std::vector<std::string>());
    bindRun(*open.session, data, spec, context);
    if (continues) data = normalizedAsKept(*open.session, std::move(data), spec.binding, context);
    RunReporter reporter(context, settingsOf(options, spec, context), reports ? options.log : "");
    // From here on there is something to save; earlier, an interrupt just ends the program.
    RunControl control;
    const InterruptWatcher interrupts([&control] { control.stop(); });
    Trainer trainer(
        *open.session, {data.training, data.evaluation, spec.binding}, spec, control,
        [&reporter](const RunEvent& event) { reporter(event); }, group);
    // The command line takes precedence over a rate that was set by hand before the checkpoint.
    if (options.setsRate || options.flags.schedule.isGiven()) control.followSchedule();
    profile.watch(trainer);
    trainer.run();
    if (group != nullptr && group->size() > 1)
        reportCosts(*trainer.exchangeCosts(), group->size(), context);
    profile.finish(*open.session, context);
    if (reports && !options.report.empty()) writeHtmlReport(reporter.record(), options.report);
    reporter.requireSuccess();
    if (spec.saveFolder.empty()) {
        context.err << "warning: The trained parameters were not saved.\n"
                       "  hint: Specify a folder for checkpoints with --save DIR.\n";
    }
}

/// The others would wait for a rank that fails, so any exception ends all.
void trainAsRank(const TrainOptions& options, CliContext& context) {
    const std::unique_ptr<Group> group = joinRanks();
    SilentContext silent(context);
    try {
        requireSameVersion(*group);
        trainIn(group.get(), options, group->isLeader() ? context : silent.context());
    } catch (const std::exception&) {
        const Error error = caughtError();
        group->fail(error);
        // Rank 0 tells why, and its exit status is that of all; if it is lost, the next one does.
        // The transport may end this process when it leaves the group.
        if (!group->isLeader() && !(group->lostRank() == 0 && group->rank() == 1)) return;
        printProblem(context.err, "error", error.what(), error.hint());
        context.exitStatus = leaveStatus(exitStatusOf(error.code()));
    }
}

void train(const TrainOptions& options, CliContext& context) {
    if (isRank()) return trainAsRank(options, context);
    if (options.ranks > 1) {
        context.exitStatus = runRanks(options.ranks, context.arguments);
        return;
    }
    if (options.ranks == 0 && options.flags.run.session.zeroStage > 0) {
        throw Error(ErrorCode::InvalidInput,
                    "--zero divides the optimizer's state among ranks; this is a single process.",
                    "Specify how many there are with --ranks, or leave out --zero.");
    }
    Group alone;
    trainIn(options.ranks == 1 ? &alone : nullptr, options, context);
}

/// The command line must not repeat what a project defines.
void requireNoOptionsOfArtifacts(const CLI::App& command) {
    const std::vector<std::string> allowed{"DIR", "--continue", "--log", "--report", "--profile"};
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_single_name();
        const std::string full = option->get_positional() ? "DIR" : "--" + name;
        if (option->count() == 0 || std::ranges::find(allowed, full) != allowed.end()) continue;
        if (name == "ranks") {
            throw Error(ErrorCode::InvalidInput, "Ranks can't train projects yet.",
                        "Train a folder of artifacts.");
        }
        throw Error(ErrorCode::InvalidInput,
                    full + " can't be used with a project, which has its own settings.",
                    "Edit project.json, or train a folder of artifacts.");
    }
}

void run(const TrainOptions& options, const CLI::App& command, CliContext& context) {
    if (isProjectFolder(options.artifacts.folder)) {
        requireNoOptionsOfArtifacts(command);
        return trainProject({.folder = options.artifacts.folder,
                             .continuesRun = options.continuesRun,
                             .log = options.log,
                             .report = options.report,
                             .profile = options.profile},
                            context);
    }
    if (options.continuesRun) {
        throw Error(ErrorCode::InvalidInput,
                    "--continue is for projects; '" + options.artifacts.folder + "' is not one.",
                    "Specify the checkpoint to continue from with --resume.");
    }
    if (options.flags.run.data.empty()) {
        throw Error(ErrorCode::InvalidInput, "--data is required.",
                    "Specify the training samples, or a project folder instead of artifacts.");
    }
    train(options, context);
}

}  // namespace

void addTrainCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("train", "Train artifacts on data, or a project");
    command->footer(dataHelp());
    const auto options = std::make_shared<TrainOptions>();
    addArtifactOptions(*command, options->artifacts);
    options->flags.addTo(*command);
    command
        ->add_option("--ranks", options->ranks,
                     "Processes that train together, started with mpirun; see also --slices")
        ->check(CLI::Range(1, kMaxRanks));
    command->add_option("--resume", options->resume, "Checkpoint to continue from")
        ->type_name("FILE");
    command->add_flag("--continue", options->continuesRun,
                      "Continue the project's newest unfinished run");
    command
        ->add_option(
            "--log", options->log,
            "Events of the run, one JSON object per line (.jsonl), or in a compact form (.tlog)")
        ->type_name("FILE");
    command->add_option("--report", options->report, "A page about the run (.html)")
        ->type_name("FILE");
    command
        ->add_option("--profile", options->profile,
                     "A Chrome trace of 20 steps (.json), and a table of their operators")
        ->type_name("FILE");
    command->callback([options, command, &context] {
        options->setsRate = command->count("--lr") > 0;
        run(*options, *command, context);
    });
}

}  // namespace temper::cli
