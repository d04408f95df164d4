// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/inspection.h"
#include "app/cli/spec_options.h"

namespace temper::cli {
namespace {

struct InspectOptions {
    std::string file;
    std::string prefix;
    std::vector<std::string> fixedInputs;
    bool json = false;
};

void inspect(const InspectOptions& options, CliContext& context) {
    const Inspection inspection = inspectPath(options.file, options.prefix, standardOps(),
                                              parseFixedInputs(options.fixedInputs));
    if (options.json) {
        printJson(context, toJson(inspection));
    } else {
        print(context.out, inspection);
    }
}

}  // namespace

void addInspectCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand(
        "inspect",
        "Show the contents of a model, an artifact, a checkpoint or a folder of artifacts");
    const auto options = std::make_shared<InspectOptions>();
    command->add_option("FILE", options->file, "Model, artifact, checkpoint or folder")->required();
    command->add_option("--prefix", options->prefix, "Prefix of the standard names in a folder");
    addFixInputOption(*command, options->fixedInputs);
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { inspect(*options, context); });
}

}  // namespace temper::cli
