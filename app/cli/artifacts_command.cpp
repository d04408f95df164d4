// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "app/cli/artifact_options.h"
#include "app/cli/commands.h"
#include "app/cli/data_options.h"
#include "app/cli/number_checks.h"
#include "app/cli/spec_options.h"
#include "engine/core/counted.h"
#include "engine/core/output_check.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/evaluation/norm_statistics.h"

namespace temper::cli {
namespace {

constexpr int kBlocked = 1;

struct ArtifactsOptions {
    std::string model;
    std::string out;
    SpecOptions spec;
    std::string prefix;
    bool ortFormat = false;
    bool nominalCheckpoint = false;
    std::vector<std::string> fixedInputs;
    bool freeBatch = false;
    int64_t headClasses = 0;
    std::string hiddenUnits;
    std::vector<std::string> restoreNorms;
    std::string data;
    std::vector<std::string> binding;
    std::vector<std::string> renames;
    uint64_t headSeed = 0;
    bool dryRun = false;
    bool json = false;
};

Json filesToJson(const ArtifactPaths& paths, bool ortFormat) {
    Json files = Json::object();
    const auto add = [&](const std::string& key, std::filesystem::path path) {
        if (path.empty() || !std::filesystem::exists(path)) return;
        files[key] = path.string();
        if (ortFormat && path.has_extension()) {
            files[key + "_ort"] = path.replace_extension(".ort").string();
        }
    };
    add("training_model", paths.trainingModel);
    add("eval_model", paths.evalModel);
    add("optimizer_model", paths.optimizerModel);
    add("checkpoint", paths.checkpoint);
    return files;
}

std::string firstOf(const std::vector<std::string>& names) {
    return names.empty() ? "" : names.front();
}

/// What to do about errors: freezing the parameters that gradients do not reach trains the rest.
std::string wayOn(const std::vector<Finding>& findings) {
    std::set<std::string> cutOff;
    bool onlyGradients = true;
    for (const Finding& finding : findings) {
        if (finding.severity != Severity::Error) continue;
        onlyGradients = onlyGradients && finding.code.starts_with('G');
        cutOff.insert(finding.parameters.begin(), finding.parameters.end());
    }
    if (!onlyGradients || cutOff.empty()) return "The findings above explain why.";
    std::vector<std::string> arguments{"--freeze"};
    arguments.insert(arguments.end(), cutOff.begin(), cutOff.end());
    return "The findings above explain why. To train the other parameters as they are: " +
           shellCommand(arguments);
}

class ArtifactsCommand {
public:
    ArtifactsCommand(const ArtifactsOptions& options, CliContext& context)
        : options_(options), context_(context), ops_(standardOps()) {}

    void run() {
        if (options_.out.empty() && !options_.dryRun) {
            throw Error(ErrorCode::InvalidInput, "No folder for the artifacts is given.",
                        "Specify it with --out DIR, or use --dry-run for the report only.");
        }
        requireDataForNorms();
        if (!options_.dryRun) requireWritableFolder(options_.out);
        std::vector<Finding> remarks;
        const std::unique_ptr<Graph> model = loadForwardModel(options_.model, ops_, {}, &remarks);
        ArtifactSpec spec = options_.spec.spec();
        std::ranges::move(editForwardModel(*model, spec), std::back_inserter(remarks));
        spec.prefix = options_.prefix;
        spec.nominalCheckpoint = options_.nominalCheckpoint;
        spec.ortFormat = options_.ortFormat;
        ArtifactPlan plan = planArtifacts(*model, ops_, spec);
        plan.findings.insert(plan.findings.begin(), remarks.begin(), remarks.end());
        const bool blocked = hasErrors(plan.findings);
        ArtifactPaths paths;
        if (!blocked && !options_.dryRun) {
            Artifacts artifacts = generateArtifacts(*model, ops_, spec, plan);
            if (!options_.restoreNorms.empty())
                artifacts = withNormStatistics(std::move(artifacts));
            paths = saveArtifacts(artifacts, options_.out, spec);
        }
        report(plan, paths);
        if (blocked) context_.exitStatus = kBlocked;
    }

private:
    void requireDataForNorms() const {
        if (options_.restoreNorms.empty() || options_.dryRun || !options_.data.empty()) return;
        throw Error(ErrorCode::InvalidInput,
                    "--restore-norm needs training samples: the running statistics of a batch "
                    "normalization are measured on them.",
                    "Specify the samples with --data DATA, or use --dry-run for the report only.");
    }

    Artifacts withNormStatistics(Artifacts artifacts) {
        const OpenSession open = openSession(artifacts, {});
        const OpenedData data = openDataFor(options_.data, {}, *open.session, context_);
        const auto binding =
            bindData(*open.session, *data.training, options_.data, options_.binding, context_);
        const RunSpec run;
        return withMeasuredNorms(std::move(artifacts), std::make_shared<const OpSet>(standardOps()),
                                 *data.training, binding, run.batchSize, run.session.seed);
    }

    /// Applies flags that use the old name of a renamed value to its new one.
    std::vector<Finding> editForwardModel(Graph& model, ArtifactSpec& spec) const {
        TrainingSpec edits;
        edits.artifacts = spec;
        edits.fixedInputs = parseFixedInputs(options_.fixedInputs);
        edits.freeBatch = options_.freeBatch;
        edits.headClasses = options_.headClasses;
        edits.hiddenUnits = parseHiddenUnits(options_.hiddenUnits);
        edits.replace = options_.spec.replace;
        edits.sharing = options_.spec.sharing;
        edits.restoreNorms = options_.restoreNorms;
        edits.rename = parseRenames(options_.renames);
        std::vector<Finding> remarks = editModelAndChoices(model, ops_, edits, options_.headSeed);
        spec = edits.artifacts;
        return remarks;
    }

    void report(const ArtifactPlan& plan, const ArtifactPaths& paths) {
        if (options_.json) {
            printJson(context_, {{"files", filesToJson(paths, options_.ortFormat)},
                                 {"trainable", plan.trainable},
                                 {"frozen", plan.frozen},
                                 {"module_names", plan.moduleNames},
                                 {"prediction", firstOf(plan.loss.reads.predictions)},
                                 {"target", firstOf(plan.loss.reads.targets)},
                                 {"predictions", plan.loss.reads.predictions},
                                 {"targets", plan.loss.reads.targets},
                                 {"findings", toJson(plan.findings)}});
        } else {
            reportForTheEye(plan, paths);
        }
    }

    void reportForTheEye(const ArtifactPlan& plan, const ArtifactPaths& paths) {
        printFindings(context_.err, plan.findings);
        if (hasErrors(plan.findings)) {
            printProblem(context_.err, "error",
                         "No artifacts can be created from '" + options_.model + "'.",
                         wayOn(plan.findings));
            return;
        }
        context_.out << "trainable: " << counted(plan.trainable.size(), "parameter") << '\n'
                     << "frozen: " << counted(plan.frozen.size(), "parameter") << '\n';
        const LossReads& reads = plan.loss.reads;
        if (!reads.targets.empty()) {
            context_.out << "loss reads: " << quotedList(reads.predictions) << " and "
                         << quotedList(reads.targets) << '\n';
        }
        const Json files = filesToJson(paths, options_.ortFormat);
        for (const auto& item : files.items()) {
            context_.out << item.value().get<std::string>() << '\n';
        }
    }

    const ArtifactsOptions& options_;
    CliContext& context_;
    const OpSet ops_;
};

void addNormOptions(CLI::App& command, ArtifactsOptions& options) {
    auto* norms = command.add_option(
        "--restore-norm", options.restoreNorms,
        "Batch normalizations merged into layers by the exporter, to be restored: names in the "
        "module, or of nodes or outputs of layers, or patterns, '*' for all; needs --data");
    auto* data = command
                     .add_option("--data", options.data,
                                 "Training samples whose first batches give the statistics for "
                                 "--restore-norm: kind:path?key=value&...")
                     ->type_name("DATA")
                     ->needs(norms);
    command
        .add_option("--bind", options.binding,
                    "INPUT=COLUMN: the column of --data that feeds an input")
        ->needs(data);
}

}  // namespace

void addArtifactsCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("artifacts", "Create training artifacts from a model");
    const auto options = std::make_shared<ArtifactsOptions>();
    command->add_option("MODEL", options->model, "Forward model (ONNX)")->required();
    command->add_option("--out", options->out, "Folder for the artifacts")->type_name("DIR");
    options->spec.addTo(*command);
    options->spec.addGradientChoicesTo(*command);
    options->spec.addSharingChoicesTo(*command);
    command->add_option("--prefix", options->prefix, "Prefix of the file names");
    command->add_flag("--ort-format", options->ortFormat,
                      "Also write the models in ORT format (.ort)");
    command->add_flag("--nominal-checkpoint", options->nominalCheckpoint,
                      "Also write a checkpoint of names and types only");
    addFixInputOption(*command, options->fixedInputs);
    command->add_flag("--free-batch", options->freeBatch,
                      "Let a model with a fixed batch size take any number of samples");
    command
        ->add_option("--head-classes", options->headClasses,
                     "Replace the last layer with a new one for this number of classes")
        ->check(between(1, 1000000));
    command->add_option("--hidden-units", options->hiddenUnits,
                        "Units of the fully connected layers before the last one: 8,4; or none");
    command->add_option("--head-seed", options->headSeed, "Seed of new layers' weights");
    addNormOptions(*command, *options);
    addRenameOption(*command, options->renames);
    command->add_flag("--dry-run", options->dryRun, "Only report what would be created");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { ArtifactsCommand(*options, context).run(); });
}

}  // namespace temper::cli
