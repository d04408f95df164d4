// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/data_options.h"
#include "app/cli/export_check.h"
#include "app/cli/interrupt_watcher.h"
#include "app/cli/run_reporter.h"
#include "app/cli/version.h"
#include "engine/core/file.h"
#include "engine/core/file_group.h"
#include "engine/core/output_check.h"
#include "engine/ir/type_inference.h"
#include "engine/runs/html_report.h"
#include "engine/training/projects/lesson.h"
#include "engine/training/projects/project_run.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "model.onnx";

struct DemoOptions {
    std::string name;
    std::string out;
    SessionOptions engine;
    bool list = false;
    bool asShipped = false;
};

void listLessons(CliContext& context) {
    std::vector<std::vector<std::string>> rows;
    for (const Lesson& lesson : bundledLessons()) rows.push_back({lesson.name, lesson.summary});
    printTable(context.out, rows);
}

/// A lesson from its model to the report, in one folder.
class Demo {
public:
    Demo(const DemoOptions& options, CliContext& context)
        : options_(options),
          context_(context),
          lesson_(options.name.empty() ? bundledLessons().front() : findLesson(options.name)),
          spec_(options.asShipped ? lesson_.spec : lesson_.goalSpec()),
          folder_(options.out.empty() ? fs::path("temper-demo") / lesson_.name
                                      : fs::path(options.out)),
          ops_(std::make_shared<const OpSet>(standardOps())) {}

    void run() {
        context_.out << lesson_.title << ": " << lesson_.summary << '\n';
        if (lesson_.mended) tellWhatIsMended();
        requireWritableFolder(folder_);
        ensureFolder(folder_);
        const Artifacts artifacts = makeArtifacts();
        OpenSession open = openSession(artifacts, ops_, engineOptions());
        RunReporter reporter(context_, settings(), (folder_ / "run.jsonl").string());
        train(*open.session, reporter);
        save(artifacts, reporter.record(), open);
        reporter.requireSuccess();
        const fs::path model = folder_ / kModel;
        report(checkExport(*open.session, {model, outputs()}, options_.engine.seed), context_);
        tellWhatWasMade();
    }

private:
    SessionOptions engineOptions() const {
        SessionOptions engine = options_.engine;
        if (engine.seed == 0) engine.seed = spec_.run.session.seed;
        return engine;
    }

    /// For a lesson that fails on purpose: the findings of the shipped version, and what was done.
    void tellWhatIsMended() const {
        const std::unique_ptr<Graph> model = loadLessonModel(lesson_);
        inferTypes(*model, ops_->catalog);
        context_.out << "This lesson fails on purpose.\n";
        printFindings(context_.out, planArtifacts(*model, *ops_, lesson_.spec.artifacts).findings);
        context_.out << (options_.asShipped ? "As shipped; the remedy is left out: "
                                            : "Fixed as the lesson teaches: ")
                     << lesson_.remedy << '\n';
    }

    Artifacts makeArtifacts() const {
        const std::unique_ptr<Graph> model = loadLessonModel(lesson_);
        inferTypes(*model, ops_->catalog);
        return generateArtifacts(*model, *ops_, spec_.artifacts);
    }

    /// The results of a run are replaced together; those of a failed run are its report and
    /// artifacts.
    void save(const Artifacts& artifacts, const RunRecord& record, OpenSession& open) const {
        FileGroup results(folder_);
        addArtifacts(results, "artifacts", artifacts, spec_.artifacts);
        results.write("report.html", [&](const fs::path& path) { writeHtmlReport(record, path); });
        if (record.end && record.end->outcome != RunOutcome::Failed) {
            results.write("checkpoint",
                          [&](const fs::path& path) { open.state->save(path, true); });
            results.write(kModel, [&](const fs::path& path) {
                open.session->exportModelForInferencing(path, outputs());
            });
        }
        results.commit();
    }

    RunSettings settings() const {
        TrainingSpec spec = spec_;
        spec.run.session = engineOptions();
        LabelledValues choices = describeChoices(spec);
        choices.emplace_back("data licence", lesson_.licence);
        return {lesson_.title, context_.commandLine, choices, environmentOfRun(spec.run.session)};
    }

    void train(TrainingSession& session, RunReporter& reporter) const {
        RunControl control;
        RunSpec spec = spec_.run;
        spec.session = engineOptions();
        spec.saveFolder = (folder_ / "checkpoints").string();
        const OpenedData data = openDataFor(spec.data, spec.evalData, session, context_);
        bindRun(session, data, spec, context_);
        const InterruptWatcher interrupts([&control] { control.stop(); });
        Trainer(session, {data.training, data.evaluation, spec.binding}, spec, control,
                [&reporter](const RunEvent& event) { reporter(event); })
            .run();
    }

    std::vector<std::string> outputs() const { return {lesson_.exportOutput}; }

    void tellWhatWasMade() const {
        const auto tell = [&](const char* what, const char* name) {
            context_.out << what << (folder_ / name).string() << '\n';
        };
        tell("training artifacts  ", "artifacts");
        tell("checkpoints         ", "checkpoints");
        tell("trained parameters  ", "checkpoint");
        tell("inference model     ", kModel);
        tell("events of the run   ", "run.jsonl");
        tell("report              ", "report.html");
    }

    const DemoOptions& options_;
    CliContext& context_;
    const Lesson lesson_;
    const TrainingSpec spec_;
    const fs::path folder_;
    const std::shared_ptr<const OpSet> ops_;
};

}  // namespace

void addDemoCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("demo", "Run a bundled lesson from end to end");
    const auto options = std::make_shared<DemoOptions>();
    command->add_option("LESSON", options->name, "Lesson (default: the first)");
    command->add_flag("--list", options->list, "List the lessons");
    command->add_flag("--as-shipped", options->asShipped,
                      "Without the remedy of a lesson that fails on purpose");
    command->add_option("--out", options->out, "Folder for all output (temper-demo/LESSON)")
        ->type_name("DIR");
    addSessionOptions(*command, options->engine);
    command->callback([options, &context] {
        if (options->list) {
            listLessons(context);
        } else {
            Demo(*options, context).run();
        }
    });
}

}  // namespace temper::cli
