// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "engine/runs/html_report.h"
#include "engine/runs/run_log.h"

namespace temper::cli {
namespace {

bool isLog(const std::filesystem::path& path) {
    return path.extension() == ".jsonl" || path.extension() == ".tlog";
}

/// An extension that says something else than what the file would be.
void requireKnownForm(const std::filesystem::path& out) {
    const std::string extension = out.extension().string();
    if (extension.empty() || extension == ".html" || extension == ".htm" || isLog(out)) return;
    throw Error(ErrorCode::InvalidInput,
                "A report can't be written as '" + out.filename().string() +
                    "': expected a name that ends with .html, or with .jsonl or .tlog for the log.",
                "Specify --out report.html, for example.");
}

/// Replacing a log by its copy would lose it for the run that writes it.
void requireAnotherFile(const std::filesystem::path& run, const std::filesystem::path& out) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(run, out, ignored)) return;
    throw Error(ErrorCode::InvalidInput,
                "'" + out.string() + "' is the log itself; the output must be another file.",
                "Specify another file with --out.");
}

}  // namespace

void addReportCommand(CLI::App& app, CliContext& context) {
    struct ReportOptions {
        std::string run;
        std::string out;
    };
    auto* command = app.add_subcommand("report", "Create an HTML page about a run");
    const auto options = std::make_shared<ReportOptions>();
    command->add_option("RUN", options->run, "Log of the run, from 'temper train --log'")
        ->required();
    command
        ->add_option("--out", options->out,
                     "The page (.html), or the log in another form (.jsonl, .tlog)")
        ->type_name("FILE")
        ->required();
    command->callback([options, &context] {
        requireKnownForm(options->out);
        requireAnotherFile(options->run, options->out);
        if (isLog(options->out)) {
            copyRunLog(options->run, options->out);
        } else {
            writeHtmlReport(readRunLog(options->run), options->out);
        }
        context.out << options->out << '\n';
    });
}

}  // namespace temper::cli
