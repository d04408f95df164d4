// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/data_options.h"
#include "app/cli/number_checks.h"
#include "engine/training/evaluation/evaluation.h"
#include "engine/training/session/run_properties.h"

namespace temper::cli {
namespace {

struct EvaluateOptions {
    ArtifactOptions artifacts;
    SessionOptions engine;
    std::string data;
    std::string trainingData;
    int64_t batchSize = 64;
    std::vector<std::string> metrics;
    std::vector<std::string> binding;
    bool json = false;
};

Json confusionToJson(const ConfusionMatrix& matrix) {
    Json rows = Json::array();
    for (size_t truth = 0; truth < matrix.classes.size(); ++truth) {
        Json row = Json::array();
        for (size_t predicted = 0; predicted < matrix.classes.size(); ++predicted) {
            row.push_back(matrix.at(truth, predicted));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

void printResult(const Evaluation& result, const EvaluateOptions& options, CliContext& context) {
    if (options.json) {
        Json document{{"samples", result.samples},
                      {"loss", result.loss},
                      {"metrics", Json(result.metrics)},
                      {"confusion_matrix", nullptr},
                      {"classes", Json::array()}};
        if (result.confusion != nullptr) {
            document["confusion_matrix"] = confusionToJson(*result.confusion);
            document["classes"] = result.confusion->classes;
        }
        printJson(context, document);
        return;
    }
    std::vector<std::vector<std::string>> rows{{"samples", std::to_string(result.samples)},
                                               {"loss", formatNumber(result.loss)}};
    for (const auto& [name, value] : result.metrics) rows.push_back({name, formatNumber(value)});
    printTable(context.out, rows, {1});
}

void evaluateData(const EvaluateOptions& options, CliContext& context) {
    const OpenSession open =
        openSession(resolveArtifacts(options.artifacts), options.engine, context);
    if (open.session->artifacts().evalModel == nullptr) {
        throw Error(ErrorCode::InvalidInput, "The eval model is missing.",
                    "Specify it with --eval-model.");
    }
    TrainingSession& session = *open.session;
    const bool asTraining = !options.trainingData.empty();
    OpenedData data =
        asTraining ? openDataFor(options.trainingData, options.data, session, context)
                   : openDataFor(options.data, {}, session, context, keptClasses(session.state()));
    const auto samples = [&data] { return data.evaluation ? data.evaluation : data.training; };
    const auto binding = bindData(session, *samples(), options.data, options.binding, context);
    if (!asTraining) data = normalizedAsKept(session, std::move(data), binding, context);
    const Evaluation result =
        evaluateDataset(session, *samples(), binding, options.batchSize, options.metrics);
    printResult(result, options, context);
}

}  // namespace

void addEvaluateCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("evaluate", "Loss and metrics of a data set");
    const auto options = std::make_shared<EvaluateOptions>();
    command->footer(dataHelp());
    addArtifactOptions(*command, options->artifacts);
    addSessionOptions(*command, options->engine);
    command
        ->add_option("--data", options->data,
                     "Samples: kind:path?key=value&...; if it has an evaluation part, only that")
        ->type_name("DATA")
        ->required();
    command
        ->add_option(
            "--train-data", options->trainingData,
            "Training samples, whose classes and normalization are used (default: those that the "
            "checkpoint keeps)")
        ->type_name("DATA");
    command->add_option("--batch-size", options->batchSize, "Samples per batch")
        ->check(positive())
        ->capture_default_str();
    command->add_option("--metrics", options->metrics, "accuracy,... (default: those that fit)")
        ->type_name("METRIC")
        ->delimiter(',');
    command->add_option("--bind", options->binding, "INPUT=COLUMN: the column that feeds an input");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { evaluateData(*options, context); });
}

}  // namespace temper::cli
