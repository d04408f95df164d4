// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/feeds.h"
#include "app/cli/number_checks.h"
#include "app/cli/session_feeds.h"
#include "engine/core/file_group.h"
#include "engine/core/output_check.h"
#include "engine/data/npz_file.h"
#include "engine/training/monitors/non_finite.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

struct StepOptions {
    ArtifactOptions artifacts;
    SessionOptions engine;
    std::string feeds;
    int64_t steps = 1;
    std::optional<float> learningRate;
    std::string gradientsOut;
    std::string parametersOut;
    bool json = false;
};

std::map<std::string, Tensor> gradientsOf(const CheckpointState& state) {
    std::map<std::string, Tensor> gradients;
    for (const Parameter& parameter : state.parameters()) {
        if (parameter.requiresGrad) gradients.emplace(parameter.name, parameter.gradient);
    }
    return gradients;
}

std::map<std::string, Tensor> parametersOf(const CheckpointState& state) {
    std::map<std::string, Tensor> parameters;
    for (const Parameter& parameter : state.parameters()) {
        parameters.emplace(parameter.name, parameter.data);
    }
    return parameters;
}

/// Files of arrays that are put in place at the end, those of one folder together.
class ArrayOutputs {
public:
    void add(const fs::path& path, const std::map<std::string, Tensor>& arrays) {
        const auto [group, isNew] = groups_.try_emplace(path.parent_path(), nullptr);
        if (isNew) group->second = std::make_unique<FileGroup>(path.parent_path());
        group->second->write(path.filename(),
                             [&arrays](const fs::path& written) { writeNpz(written, arrays); });
    }
    void commit() {
        for (const auto& [folder, group] : groups_) group->commit();
    }

private:
    std::map<fs::path, std::unique_ptr<FileGroup>> groups_;
};

/// The bare loop: train step, optimizer step, lazy reset of the gradients.
class StepLoop {
public:
    StepLoop(const StepOptions& options, CliContext& context)
        : options_(checked(options)),
          context_(context),
          open_(openSession(resolveArtifacts(options.artifacts), options.engine, context)),
          feeds_(loadFeedsFor(*open_.session, options.feeds, context)) {
        requireTargetsInRange(*open_.session, feeds_);
    }

    /// Throws: NonFiniteError after printing what was computed up to the NaN.
    void run() {
        if (options_.learningRate) session().setLearningRate(*options_.learningRate);
        try {
            for (int64_t step = 0; step < options_.steps; ++step) trainOnce(step);
            if (session().artifacts().evalModel != nullptr) evaluate();
        } catch (const NonFiniteError&) {
            outputs_.commit();
            if (options_.json) printJson(context_, document());
            throw;
        }
        if (!options_.parametersOut.empty()) {
            outputs_.add(options_.parametersOut, parametersOf(*open_.state));
        }
        outputs_.commit();
        if (options_.json) printJson(context_, document());
    }

private:
    static const StepOptions& checked(const StepOptions& options) {
        requireWritableFile(options.gradientsOut);
        requireWritableFile(options.parametersOut);
        return options;
    }

    TrainingSession& session() { return *open_.session; }

    void trainOnce(int64_t step) {
        const auto inputs = feeds_.batch(feedInputsOf(session(), true), step);
        const std::span<const Tensor> outputs = session().trainStep(inputs);
        report(step + 1, outputs);
        if (step == 0 && !options_.gradientsOut.empty()) {
            outputs_.add(options_.gradientsOut, gradientsOf(*open_.state));
        }
        requireFinite(session(), inputs, outputs[0].toDouble(), "loss");
        requireFinite(session(), inputs, session().gradientNorm(), "norm of the gradients");
        if (session().artifacts().optimizerModel != nullptr) session().optimizerStep();
        session().lazyResetGrad();
    }

    void report(int64_t step, std::span<const Tensor> outputs) {
        const bool optimizes = session().artifacts().optimizerModel != nullptr;
        const double rate = optimizes ? static_cast<double>(session().learningRate()) : 0.0;
        const auto& names = session().outputNames(true);
        if (options_.json) {
            steps_.push_back({{"step", step},
                              {"learning_rate", rate},
                              {"outputs", outputsToJson(names, outputs)}});
        } else {
            context_.out << "step " << step << ": " << outputsToText(names, outputs) << '\n';
        }
    }

    /// On the batch of the last step.
    void evaluate() {
        const int64_t last = std::max<int64_t>(options_.steps - 1, 0);
        const auto inputs = feeds_.batch(feedInputsOf(session(), false), last);
        const std::span<const Tensor> outputs = session().evalStep(inputs);
        const auto& names = session().outputNames(false);
        if (options_.json) {
            eval_["outputs"] = outputsToJson(names, outputs);
        } else {
            context_.out << "eval: " << outputsToText(names, outputs) << '\n';
        }
        if (outputs[0].numElements() == 1) requireFiniteLoss(outputs[0].toDouble(), last);
    }

    void requireFiniteLoss(double loss, int64_t step) {
        std::vector<Tensor> inputs;
        if (options_.steps > 0) inputs = feeds_.batch(feedInputsOf(session(), true), step);
        requireFiniteEvaluation(session(), inputs, loss);
    }

    Json document() {
        return {{"steps", steps_},
                {"eval", eval_},
                {"parameters",
                 {{"total", session().parametersSize(false)},
                  {"trainable", session().parametersSize(true)}}}};
    }

    const StepOptions& options_;
    CliContext& context_;
    OpenSession open_;
    Feeds feeds_;
    ArrayOutputs outputs_;
    Json steps_ = Json::array();
    Json eval_ = Json::object();
};

}  // namespace

void addStepCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("step", "Run the bare training loop on given batches");
    const auto options = std::make_shared<StepOptions>();
    addArtifactOptions(*command, options->artifacts);
    addSessionOptions(*command, options->engine);
    command->add_option("--feeds", options->feeds, "Inputs: an .npz or a folder of .npy")
        ->type_name("FILE")
        ->required();
    command->add_option("--steps", options->steps, "Steps to run; 0: only load and evaluate")
        ->check(notNegative())
        ->capture_default_str();
    command->add_option("--lr", options->learningRate,
                        "Learning rate (default " + formatNumber(kDefaultLearningRate) + ")");
    command->add_option("--grads", options->gradientsOut, "Gradients of the first step (.npz)")
        ->type_name("FILE");
    command->add_option("--params", options->parametersOut, "Final parameters (.npz)")
        ->type_name("FILE");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { StepLoop(*options, context).run(); });
}

}  // namespace temper::cli
