// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/feeds.h"
#include "app/cli/model_runner.h"
#include "app/cli/number_checks.h"
#include "app/cli/spec_options.h"
#include "app/cli/timings.h"
#include "engine/core/output_check.h"
#include "engine/data/npz_file.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/training/export/batch_norm_folding.h"

namespace temper::cli {
namespace {

struct RunOptions {
    std::string model;
    std::string feeds;
    std::vector<std::string> fixedInputs;
    std::string out;
    int64_t timedRuns = 0;
    bool json = false;
    SessionOptions engine;
};

/// These runs allocate buffers and fill caches before anything is measured.
constexpr int kWarmUpRuns = 3;

/// Runs repeatedly and prints the time of a run.
void timeRuns(ModelRunner& runner, const std::vector<ValueData>& inputs, const RunOptions& options,
              CliContext& context) {
    Timings timings;
    const auto run = [&] { runner.runOn(inputs, options.engine.seed); };
    for (int i = 0; i < kWarmUpRuns; ++i) run();
    for (int64_t i = 0; i < options.timedRuns; ++i) timings.measure(run);
    const Json document = {{"runs", options.timedRuns},
                           {"median_ms", timings.quantile(0.5)},
                           {"p10_ms", timings.quantile(0.1)},
                           {"p90_ms", timings.quantile(0.9)}};
    if (options.json) return printJson(context, document);
    std::vector<std::vector<std::string>> rows;
    for (const auto& item : document.items())
        rows.push_back({item.key(), formatNumber(item.value().get<double>())});
    printTable(context.out, rows);
}

/// The pass that changes the model before its plan is compiled.
constexpr const char* kFoldBatchNorms = "fold-batch-norms";

ModelRunner openModel(const RunOptions& options) {
    PlanOptions plan{.withoutPasses = options.engine.withoutPasses};
    const bool keepsBatchNorms = std::erase(plan.withoutPasses, kFoldBatchNorms) > 0;
    requirePlanPasses(plan.withoutPasses);
    auto ops = std::make_shared<const OpSet>(standardOps());
    std::unique_ptr<Graph> model =
        loadForwardModel(options.model, *ops, parseFixedInputs(options.fixedInputs));
    if (!keepsBatchNorms) foldBatchNorms(*model, ops->catalog);
    return {std::move(model), std::move(ops), options.engine.threads, plan};
}

/// Files of training batches also contain labels.
void noteSurplus(const std::vector<std::string>& names, CliContext& context) {
    if (names.empty()) return;
    context.err << "note: No input is called " << quotedList(names) << "; ignored.\n";
}

/// A model is run once, while training takes a batch in each step.
void noteFurtherSteps(int64_t steps, CliContext& context) {
    if (steps == 1) return;
    context.err << "note: The arrays hold batches for " << steps
                << " steps; the model is run on the first one.\n";
}

using NamedArrays = std::vector<std::pair<std::string, Tensor>>;

/// One array for each tensor.
NamedArrays arraysOf(const std::vector<std::string>& names, const std::vector<ValueData>& outputs) {
    NamedArrays arrays;
    for (size_t i = 0; i < outputs.size(); ++i) {
        size_t element = 0;
        for (const Tensor& tensor : outputs[i].tensors) {
            const bool isSequence = outputs[i].isSequence;
            arrays.emplace_back(isSequence ? elementName(names[i], element++) : names[i], tensor);
        }
    }
    return arrays;
}

void runModel(const RunOptions& options, CliContext& context) {
    if (options.out.empty() && options.timedRuns == 0) {
        throw CLI::RequiredError("--out");
    }
    requireWritableFile(options.out);
    ModelRunner runner = openModel(options);
    const Feeds feeds = Feeds::load(options.feeds);
    noteSurplus(feeds.surplusTo(runner.inputs()), context);
    noteFurtherSteps(feeds.steps(runner.inputs()), context);
    const std::vector<ValueData> inputs = feeds.data(runner.inputs());
    const NamedArrays arrays =
        arraysOf(runner.outputNames(), runner.runOn(inputs, options.engine.seed));
    std::vector<std::vector<std::string>> rows;
    for (const auto& [name, array] : arrays) {
        rows.push_back({name, std::string(dtypeName(array.dtype())) + formatShape(array.shape())});
    }
    if (!options.out.empty()) writeNpz(options.out, {arrays.begin(), arrays.end()});
    if (!options.json) printTable(context.out, rows);
    if (options.timedRuns > 0) timeRuns(runner, inputs, options, context);
}

}  // namespace

void addRunCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("run", "Run any ONNX model on given inputs");
    const auto options = std::make_shared<RunOptions>();
    command->add_option("MODEL", options->model, "ONNX model")->required();
    command->add_option("--feeds", options->feeds, "Inputs: an .npz or a folder of .npy")
        ->type_name("FILE")
        ->required();
    addFixInputOption(*command, options->fixedInputs);
    command->add_option("--out", options->out, "The outputs (.npz)")->type_name("FILE");
    auto* bench =
        command
            ->add_option(
                "--bench", options->timedRuns,
                "Then run this many more times and print the milliseconds per run; needs no --out")
            ->check(positive());
    command->add_flag("--json", options->json, "Print the milliseconds as one JSON document")
        ->needs(bench);
    addSessionOptions(*command, options->engine);
    CLI::Option* passes = command->get_option("--without-pass");
    passes->description(passes->get_description() + ", " + kFoldBatchNorms);
    command->callback([options, &context] { runModel(*options, context); });
}

}  // namespace temper::cli
