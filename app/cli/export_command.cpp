// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/export_check.h"
#include "app/cli/number_checks.h"
#include "app/cli/session_feeds.h"
#include "app/cli/spec_options.h"
#include "engine/core/output_check.h"
#include "engine/ir/selected_outputs.h"
#include "engine/onnx/model_file.h"
#include "engine/onnx/required_outputs.h"
#include "engine/training/edits/renaming.h"
#include "engine/training/export/batch_norm_folding.h"
#include "engine/training/export/inference_export.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/session/weight_average.h"

namespace temper::cli {
namespace {

struct ExportOptions {
    ArtifactOptions artifacts;
    SessionOptions engine;
    std::string out;
    std::vector<std::string> outputs;
    std::string feeds;
    bool average = false;
    bool foldBatchNorms = false;
    bool externalData = false;
    int64_t opset = 0;
    std::vector<std::string> renames;
    bool asItCame = false;
    bool includeNormalization = false;
};

void requireEvalModel(const TrainingSession& session) {
    if (session.artifacts().evalModel != nullptr) return;
    throw Error(ErrorCode::InvalidInput, "The eval model, which the export needs, is missing.",
                "Specify it with --eval-model.");
}

void requireAverage(TrainingSession& session) {
    if (WeightAverage::isThere(session.state())) return;
    throw Error(ErrorCode::InvalidInput, "The checkpoint has no weight average.",
                "Train with --average-decay.");
}

/// The requested outputs; by default what the loss reads.
std::vector<std::string> outputsOf(const ExportOptions& options, const TrainingSession& session) {
    if (!options.outputs.empty()) return options.outputs;
    const LossInfo loss = describeLoss(*session.artifacts().evalModel);
    if (!loss.predictions.empty()) return loss.predictions;
    throw Error(ErrorCode::InvalidInput, "It is unclear which outputs of the eval model to export.",
                "Specify values of the eval model with --outputs.");
}

/// A list with commas in place of spaces is one name, which the model has not.
void requireSpaces(const Graph& model, const std::vector<std::string>& names) {
    for (std::string name : names) {
        if (model.find(name) != nullptr || name.find(',') == std::string::npos) continue;
        const std::string message = "The model has no value '" + name + "'.";
        std::ranges::replace(name, ',', ' ');
        throw Error(ErrorCode::NotFound, message, "Separate names by spaces: --outputs " + name);
    }
}

/// Converts a forward model to the other format, ONNX or ORT. Types are included: ONNX Runtime
/// needs them to find kernels for models in its own format.
void convertModel(const ExportOptions& options, CliContext& context) {
    const OpSet ops = standardOps();
    const std::unique_ptr<Graph> model = loadForwardModel(options.artifacts.folder, ops);
    requireSpaces(*model, options.outputs);
    if (!options.outputs.empty()) {
        selectOutputs(*model, options.outputs);
        model->removeUnused();
    }
    if (options.externalData) requireDataBeside(options.out);
    const size_t folded = options.foldBatchNorms ? foldBatchNorms(*model, ops.catalog) : 0;
    renameInputsAndOutputs(*model, parseRenames(options.renames));
    if (options.opset > 0) convertOpset(*model, ops.catalog, options.opset);
    if (isOrtPath(options.out)) completeForOrtFormat(*model, ops.catalog);
    const bool wasBeside = takeExternalDataNote(*model) && !isOrtPath(options.out);
    saveModel(*model, options.out, {.externalData = options.externalData || wasBeside});
    if (options.foldBatchNorms) context.out << "folded batch norms: " << folded << '\n';
    context.out << options.out << ": " << quotedList(namesOf(model->outputs())) << '\n';
}

/// A forward model has its own weights: options that choose others, or use what training left
/// beside them, have no meaning for it.
void requireForwardOptions(const CLI::App& command, const std::string& model) {
    static const std::set<std::string> kOfArtifacts = {
        "checkpoint", "prefix",  "train-model", "eval-model",           "optimizer-model",
        "feeds",      "average", "as-it-came",  "include-normalization"};
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_single_name();
        if (option->count() == 0 || !kOfArtifacts.contains(name)) continue;
        throw Error(
            ErrorCode::InvalidInput,
            "--" + name + " can't be used with the forward model '" + model +
                "', which is written with its own weights.",
            "Specify the folder of training artifacts in its place, or omit --" + name + ".");
    }
}

void requireNormalization(TrainingSession& session) {
    if (!keptNormalizations(session.state()).empty()) return;
    throw Error(ErrorCode::InvalidInput, "The checkpoint has no normalization to include.",
                "Name a checkpoint of a run whose data was normalized, or omit "
                "--include-normalization.");
}

void exportModel(const ExportOptions& options, const CLI::App& command, CliContext& context) {
    requireWritableFile(options.out);
    if (std::filesystem::is_regular_file(options.artifacts.folder)) {
        requireForwardOptions(command, options.artifacts.folder);
        return convertModel(options, context);
    }
    const OpenSession open =
        openSession(resolveArtifacts(options.artifacts), options.engine, context);
    requireEvalModel(*open.session);
    requireSpaces(*open.session->artifacts().evalModel, options.outputs);
    if (options.includeNormalization) requireNormalization(*open.session);
    const std::vector<std::string> outputs = outputsOf(options, *open.session);
    std::optional<AveragedWeights> averaged;
    if (options.average) {
        requireAverage(*open.session);
        averaged.emplace(open.session->state());
    }
    const Renames renames = parseRenames(options.renames);
    const ExportedModel exported = exportInferenceModel(
        *open.session,
        {options.out, outputs, options.foldBatchNorms, options.externalData, options.opset, renames,
         options.asItCame, options.includeNormalization},
        standardOps());
    context.out << options.out << ": " << quotedList(renamed(outputs, renames)) << '\n';
    if (options.foldBatchNorms)
        context.out << "folded batch norms: " << exported.foldedBatchNorms << '\n';
    if (options.includeNormalization) {
        std::vector<std::string> inputs;
        for (const auto& [name, by] : exported.normalized) inputs.push_back(name);
        context.out << "normalization included: " << quotedList(inputs) << '\n';
    }
    const WrittenModel written{options.out, outputs, renames, options.asItCame,
                               exported.normalized};
    const ExportCheck check = options.feeds.empty()
                                  ? checkExport(*open.session, written, options.engine.seed)
                                  : checkExport(*open.session, written, Feeds::load(options.feeds));
    report(check, context);
}

}  // namespace

void addExportCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("export", "Create an inference model from trained weights");
    const auto options = std::make_shared<ExportOptions>();
    addArtifactOptions(*command, options->artifacts, "DIR",
                       "Folder of training artifacts, or a forward model to convert");
    addSessionOptions(*command, options->engine);
    command->add_option("--out", options->out, "The model (.onnx, or .ort for ORT format)")
        ->type_name("FILE")
        ->required();
    command->add_option("--outputs", options->outputs,
                        "Values of the eval model to output (default: what the loss reads)");
    command
        ->add_option("--feeds", options->feeds,
                     "Inputs to check the model with (default: random ones)")
        ->type_name("FILE");
    command->add_flag("--average", options->average,
                      "Export the moving average of the weights (see train --average-decay)");
    command->add_flag("--fold-batch-norms", options->foldBatchNorms,
                      "Fold batch norms into the weights of the preceding operator");
    command->add_flag("--external-data", options->externalData,
                      "Store the weights in a separate file, <out>.data");
    command
        ->add_option("--opset", options->opset,
                     "Version of ONNX's opset to write the model in (default: its own)")
        ->check(between(kOldestOpset, kNewestOpset));
    command->add_flag("--as-it-came", options->asItCame,
                      "Restore float16 and bfloat16 where the model's file had them");
    command->add_flag("--include-normalization", options->includeNormalization,
                      "Let the model normalize its inputs itself, as the data was in training");
    addRenameOption(*command, options->renames);
    command->callback([options, command, &context] { exportModel(*options, *command, context); });
}

}  // namespace temper::cli
