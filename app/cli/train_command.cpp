// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "app/cli/artifact_options.h"
#include "app/cli/choice_options.h"
#include "app/cli/commands.h"
#include "app/cli/data_options.h"
#include "app/cli/interrupt_watcher.h"
#include "app/cli/number_checks.h"
#include "app/cli/project_training.h"
#include "app/cli/run_profile.h"
#include "app/cli/run_reporter.h"
#include "app/cli/version.h"
#include "engine/core/output_check.h"
#include "engine/runs/html_report.h"
#include "engine/training/evaluation/metrics.h"
#include "engine/training/projects/project_file.h"

namespace temper::cli {
namespace {

struct TrainOptions {
    ArtifactOptions artifacts;
    EngineOptions engine;
    RunSpec run;
    ChoiceOptions schedule{"--schedule", scheduleChoices()};
    std::vector<std::string> binding;
    std::string resume;
    bool goOn = false;
    bool setsRate = false;  ///< --lr was given
    std::string log;
    std::string report;
    std::string profile;
};

void addStopChoices(const RunSpec& run, LabelledValues& choices) {
    const RunSpec standard;
    if (run.bestMetric != standard.bestMetric) choices.emplace_back("best by", run.bestMetric);
    if (run.keepBest != standard.keepBest)
        choices.emplace_back("best kept", std::to_string(run.keepBest));
    if (run.earlyStopPatience > 0)
        choices.emplace_back("early stop after", std::to_string(run.earlyStopPatience));
    if (run.earlyStopMinDelta > 0)
        choices.emplace_back("least improvement", formatNumber(run.earlyStopMinDelta));
    if (!run.divergenceGuard) choices.emplace_back("divergence guard", "off");
    if (run.timeLimit > 0) choices.emplace_back("seconds at most", formatNumber(run.timeLimit));
}

/// What a page about the run says of its choices.
LabelledValues choicesOf(const TrainOptions& options) {
    const RunSpec& run = options.run;
    LabelledValues choices{{"artifacts", options.artifacts.folder}, {"data", run.data}};
    if (!run.evalData.empty()) choices.emplace_back("evaluation data", run.evalData);
    if (run.steps > 0) {
        choices.emplace_back("steps", std::to_string(run.steps));
    } else {
        choices.emplace_back("epochs", std::to_string(run.epochs));
    }
    choices.emplace_back("batch size", std::to_string(run.batchSize));
    choices.emplace_back("learning rate", formatNumber(run.learningRate));
    choices.emplace_back("schedule", options.schedule.selection().key);
    choices.emplace_back("accumulated batches", std::to_string(run.accumulate));
    if (run.clipNorm > 0) choices.emplace_back("gradient norm", formatNumber(run.clipNorm));
    if (run.clipValue > 0) choices.emplace_back("gradient size", formatNumber(run.clipValue));
    if (run.averageDecay > 0) {
        choices.emplace_back("average of the weights", formatNumber(run.averageDecay));
    }
    addStopChoices(run, choices);
    choices.emplace_back("seed", std::to_string(options.engine.seed));
    if (!options.resume.empty()) choices.emplace_back("continued from", options.resume);
    return choices;
}

RunSettings settingsOf(const TrainOptions& options, const CliContext& context) {
    const std::string name = std::filesystem::path(options.artifacts.folder).filename().string();
    return {"Training " + (name.empty() ? options.artifacts.trainModel : name), context.commandLine,
            choicesOf(options), environmentOfRun(options.engine.threads)};
}

/// Throws: Error(InvalidInput) for a schedule or metric that there is not.
RunSpec runSpecOf(const TrainOptions& options) {
    RunSpec spec = options.run;
    spec.binding = parseBinding(options.binding);
    spec.schedule = options.schedule.selection();
    requireValid(spec.schedule, scheduleChoices());
    for (const std::string& key : spec.metrics) requireKnownMetric(key);
    requireKnownMetric(spec.bestMetric);
    spec.seed = options.engine.seed;
    spec.threads = options.engine.threads;
    spec.precision = options.engine.precision;
    spec.memoryShare = options.engine.memoryShare;
    spec.recompute = options.engine.recompute;
    return spec;
}

/// The artifacts, with the state to go on from in place of their checkpoint.
ArtifactPaths pathsOf(const TrainOptions& options) {
    ArtifactOptions artifacts = options.artifacts;
    if (!options.resume.empty()) artifacts.checkpoint = options.resume;
    return resolveArtifacts(artifacts);
}

void train(const TrainOptions& options, CliContext& context) {
    requireWritableFolder(options.run.saveFolder);
    requireWritableFile(options.report);
    RunSpec spec = runSpecOf(options);
    RunProfile profile(options.profile);
    const OpenSession open = openSession(pathsOf(options), options.engine);
    const OpenedData data = openDataFor(spec.data, spec.evalData, *open.session, context);
    bindRun(*open.session, data, spec, context);
    RunReporter reporter(context, settingsOf(options, context), options.log);
    // From here on there is something to save; before, an interrupt just ends the program.
    RunControl control;
    const InterruptWatcher interrupts([&control] { control.stop(); });
    Trainer trainer(*open.session, {data.training, data.evaluation, spec.binding}, spec, control,
                    [&reporter](const RunEvent& event) { reporter(event); });
    // What the command says counts more than a rate that was set by hand before the checkpoint.
    if (options.setsRate || options.schedule.isGiven()) control.followSchedule();
    profile.watch(trainer);
    trainer.run();
    profile.finish(*open.session, context);
    if (!options.report.empty()) writeHtmlReport(reporter.record(), options.report);
    reporter.requireSuccess();
    if (spec.saveFolder.empty()) {
        context.err << "warning: The trained parameters were not saved.\n"
                       "  hint: Name a folder for checkpoints with --save DIR.\n";
    }
}

void addRunOptions(CLI::App& command, RunSpec& run) {
    command.add_option("--data", run.data, "Training samples: kind:path?key=value&...")
        ->type_name("DATA");
    command.add_option("--eval-data", run.evalData, "Evaluation samples")->type_name("DATA");
    auto* epochs = command.add_option("--epochs", run.epochs, "Passes over the samples")
                       ->check(positive())
                       ->capture_default_str();
    command.add_option("--steps", run.steps, "Optimizer steps, in place of epochs")
        ->check(positive())
        ->excludes(epochs);
    command.add_option("--batch-size", run.batchSize, "Samples of a batch")
        ->check(positive())
        ->capture_default_str();
    command.add_option("--lr", run.learningRate, "Learning rate")
        ->check(notNegative())
        ->capture_default_str();
    command.add_option("--accumulate", run.accumulate, "Batches for one optimizer step")
        ->check(positive())
        ->capture_default_str();
    command.add_option("--clip-norm", run.clipNorm, "Largest norm of the gradients; 0: any")
        ->check(notNegative());
    command.add_option("--clip-value", run.clipValue, "Largest number of the gradients; 0: any")
        ->check(notNegative());
    command
        .add_option("--average-decay", run.averageDecay,
                    "Decay of a moving average of the weights, such as 0.999; 0: none is kept")
        ->check(below(0, 1));
}

void addEarlyStopOptions(CLI::App& command, RunSpec& run) {
    command
        .add_option("--best-metric", run.bestMetric,
                    "Figure of the evaluations by which a checkpoint is the best: loss or a metric")
        ->capture_default_str();
    command
        .add_option("--keep-best", run.keepBest,
                    "Best evaluations whose checkpoints stay, as best-<step>.ckpt; 1: best.ckpt "
                    "only")
        ->check(positive())
        ->capture_default_str();
    command
        .add_option("--early-stop", run.earlyStopPatience,
                    "Evaluations without improvement after which the run ends; 0: never")
        ->check(notNegative());
    command
        .add_option("--min-delta", run.earlyStopMinDelta,
                    "Improvement that has to be exceeded to count for --early-stop")
        ->check(notNegative());
    command.add_flag("!--no-divergence-guard", run.divergenceGuard,
                     "Go on though the loss stays far above where it began");
    command
        .add_option("--time-limit", run.timeLimit,
                    "Seconds after which the run ends, at a step; pauses do not count; 0: never")
        ->check(notNegative());
}

void addEvaluationOptions(CLI::App& command, RunSpec& run) {
    command.add_option("--metrics", run.metrics, "accuracy,... (default: those that fit the loss)")
        ->type_name("METRIC")
        ->delimiter(',');
    command.add_option("--eval-every", run.evaluateEvery, "Steps between evaluations; 0: epochs")
        ->check(notNegative());
    command.add_flag("--evaluate-average", run.evaluateAverage,
                     "Evaluate the average of the weights (see --average-decay)");
    command.add_option("--save", run.saveFolder, "Folder for checkpoints")->type_name("DIR");
    command.add_option("--save-every", run.saveEvery, "Steps between checkpoints; 0: epochs")
        ->check(notNegative());
    addEarlyStopOptions(command, run);
}

/// What a project says itself is not said again on the command line.
void requireNoOptionsOfArtifacts(const CLI::App& command) {
    const std::vector<std::string> allowed{"DIR", "--continue", "--log", "--report", "--profile"};
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_single_name();
        const std::string full = option->get_positional() ? "DIR" : "--" + name;
        if (option->count() == 0 || std::ranges::find(allowed, full) != allowed.end()) continue;
        throw Error(ErrorCode::InvalidInput,
                    full + " does not go with a project, which has its own choices.",
                    "Edit project.json, or train a folder of artifacts.");
    }
}

void run(const TrainOptions& options, const CLI::App& command, CliContext& context) {
    if (isProjectFolder(options.artifacts.folder)) {
        requireNoOptionsOfArtifacts(command);
        return trainProject(
            {options.artifacts.folder, options.goOn, options.log, options.report, options.profile},
            context);
    }
    if (options.goOn) {
        throw Error(ErrorCode::InvalidInput,
                    "--continue is for projects; '" + options.artifacts.folder + "' is none.",
                    "Name the checkpoint to go on from with --resume.");
    }
    if (options.run.data.empty()) {
        throw Error(ErrorCode::InvalidInput, "--data is required.",
                    "Name the training samples, or a project folder in place of artifacts.");
    }
    train(options, context);
}

}  // namespace

void addTrainCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("train", "Train artifacts on data, or a project");
    command->footer(dataHelp());
    const auto options = std::make_shared<TrainOptions>();
    addArtifactOptions(*command, options->artifacts);
    addRunOptions(*command, options->run);
    options->schedule.addTo(*command, "Learning-rate schedule");
    addEvaluationOptions(*command, options->run);
    addEngineOptions(*command, options->engine);
    command->add_option("--bind", options->binding, "INPUT=COLUMN: what feeds an input");
    command->add_option("--resume", options->resume, "Checkpoint to go on from")->type_name("FILE");
    command->add_flag("--continue", options->goOn,
                      "Go on with the project's newest run that did not come to its end");
    command
        ->add_option(
            "--log", options->log,
            "Events of the run, a JSON object a line (.jsonl), or in a compact form (.tlog)")
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
