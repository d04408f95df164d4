// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/feeds.h"
#include "app/cli/model_runner.h"
#include "engine/data/npz_file.h"
#include "engine/onnx/model_file.h"

namespace temper::cli {
namespace {

struct RunOptions {
    std::string model;
    std::string feeds;
    std::string out;
    EngineOptions engine;
};

void runModel(const RunOptions& options, CliContext& context) {
    ModelRunner runner(loadModel(options.model), options.engine.threads);
    const Feeds feeds = Feeds::load(options.feeds);
    feeds.requireOnly(runner.inputs());
    const std::vector<Tensor> inputs = feeds.batch(runner.inputs());
    const std::span<const Tensor> outputs = runner.run(inputs, options.engine.seed);
    std::map<std::string, Tensor> arrays;
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < outputs.size(); ++i) {
        arrays.emplace(runner.outputNames()[i], outputs[i]);
        rows.push_back({runner.outputNames()[i], std::string(dtypeName(outputs[i].dtype())) +
                                                     formatShape(outputs[i].shape())});
    }
    writeNpz(options.out, arrays);
    printTable(context.out, rows);
}

}  // namespace

void addRunCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("run", "Run any ONNX model on given inputs");
    const auto options = std::make_shared<RunOptions>();
    command->add_option("MODEL", options->model, "ONNX model")->required();
    command->add_option("--feeds", options->feeds, "Inputs: an .npz or a folder of .npy")
        ->type_name("FILE")
        ->required();
    command->add_option("--out", options->out, "The outputs (.npz)")->type_name("FILE")->required();
    addEngineOptions(*command, options->engine);
    command->callback([options, &context] { runModel(*options, context); });
}

}  // namespace temper::cli
