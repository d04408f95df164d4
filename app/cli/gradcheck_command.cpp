// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/number_checks.h"
#include "app/cli/session_feeds.h"
#include "app/cli/spec_options.h"
#include "engine/training/edits/half_precision.h"
#include "engine/training/edits/replacements/replacement.h"
#include "engine/training/rehearsal/gradient_check.h"

namespace temper::cli {
namespace {

constexpr int kFailed = 1;

struct GradcheckOptions {
    std::string model;
    std::string feeds;
    SpecOptions spec;
    std::vector<std::string> fixedInputs;
    SessionOptions engine;
    /// Correct gradients are within about 1e-5 of the differences.
    double tolerance = 1e-3;
    bool json = false;
};

void report(const std::vector<GradientCheck>& checks, const GradcheckOptions& options,
            CliContext& context) {
    Json list = Json::array();
    std::vector<std::vector<std::string>> rows;
    bool allPassed = true;
    for (const GradientCheck& check : checks) {
        const bool passed = check.passes(options.tolerance);
        allPassed = allPassed && passed;
        list.push_back({{"name", check.name},
                        {"max_relative_error", check.maxRelativeError},
                        {"rounding_error", check.roundingError},
                        {"passed", passed}});
        rows.push_back({passed ? "passed" : "FAILED", formatNumber(check.maxRelativeError),
                        formatNumber(check.roundingError), check.name});
    }
    if (options.json) {
        printJson(context, {{"parameters", std::move(list)}, {"passed", allPassed}});
    } else {
        printTable(context.out, rows, {1, 2});
    }
    if (!allPassed) context.exitStatus = kFailed;
}

/// What the flags refer to in this model.
GradientChoices choicesOf(const Graph& model, const OpSet& ops, const ArtifactSpec& spec) {
    if (spec.straightThrough.empty() && spec.stopGradient.empty()) return {};
    const ArtifactPlan plan = planArtifacts(model, ops, spec);
    return {plan.straightThrough, plan.stopGradient};
}

void gradcheck(const GradcheckOptions& options, CliContext& context) {
    auto ops = std::make_shared<const OpSet>(standardOps());
    const std::unique_ptr<Graph> model =
        loadForwardModel(options.model, *ops, parseFixedInputs(options.fixedInputs));
    widenHalfPrecision(*model, ops->catalog);
    replaceNodes(*model, ops->catalog, options.spec.replace);
    ArtifactSpec spec = options.spec.spec();
    spec.optimizer = {"none", {}};
    const OpenSession open =
        openSession(generateArtifacts(*model, *ops, spec), ops, options.engine);
    const Feeds feeds = loadFeedsFor(*open.session, options.feeds, context);
    const std::vector<Tensor> batch = feeds.batch(feedInputsOf(*open.session, true));
    report(checkGradients(*open.session, ops, batch, options.engine.seed,
                          choicesOf(*model, *ops, spec)),
           options, context);
}

}  // namespace

void addGradcheckCommand(CLI::App& app, CliContext& context) {
    auto* command =
        app.add_subcommand("gradcheck", "Compare gradients with numeric differences of the loss");
    const auto options = std::make_shared<GradcheckOptions>();
    command->add_option("MODEL", options->model, "Forward model (ONNX)")->required();
    command->add_option("--feeds", options->feeds, "Inputs and target: .npz or folder of .npy")
        ->type_name("FILE")
        ->required();
    options->spec.addTo(*command);
    addFixInputOption(*command, options->fixedInputs);
    options->spec.addGradientChoicesTo(*command);
    addSessionOptions(*command, options->engine);
    command->add_option("--tolerance", options->tolerance, "Largest relative error that passes")
        ->check(positive())
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { gradcheck(*options, context); });
}

}  // namespace temper::cli
