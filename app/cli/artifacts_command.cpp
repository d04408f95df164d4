// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "app/cli/artifact_options.h"
#include "app/cli/command_flags.h"
#include "app/cli/commands.h"
#include "app/cli/data_options.h"
#include "engine/core/counted.h"
#include "engine/core/output_check.h"
#include "engine/onnx/model_file.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/evaluation/norm_statistics.h"

namespace temper::cli {
namespace {

constexpr int kBlocked = 1;

struct ArtifactsOptions {
    ArtifactsFlags flags;
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
        : options_(options), flags_(options.flags), context_(context), ops_(standardOps()) {}

    void run() {
        if (flags_.out.empty() && !options_.dryRun) {
            throw Error(ErrorCode::InvalidInput, "No folder for the artifacts is given.",
                        "Specify it with --out DIR, or use --dry-run for the report only.");
        }
        requireDataForNorms();
        if (!options_.dryRun) requireWritableFolder(flags_.out);
        std::vector<Finding> remarks;
        const std::unique_ptr<Graph> model = loadForwardModel(flags_.model, ops_, {}, &remarks);
        TrainingSpec choices = flags_.spec();
        // Flags that use the old name of a renamed value then apply to its new one.
        std::ranges::move(editModelAndChoices(*model, ops_, choices, options_.headSeed),
                          std::back_inserter(remarks));
        const ArtifactSpec& spec = choices.artifacts;
        ArtifactPlan plan = planArtifacts(*model, ops_, spec);
        plan.findings.insert(plan.findings.begin(), remarks.begin(), remarks.end());
        const bool blocked = hasErrors(plan.findings);
        ArtifactPaths paths;
        if (!blocked && !options_.dryRun) {
            Artifacts artifacts = generateArtifacts(*model, ops_, spec, plan);
            if (!flags_.restoreNorms.empty()) artifacts = withNormStatistics(std::move(artifacts));
            paths = saveArtifacts(artifacts, flags_.out, spec);
        }
        report(plan, paths);
        if (blocked) context_.exitStatus = kBlocked;
    }

private:
    void requireDataForNorms() const {
        if (flags_.restoreNorms.empty() || options_.dryRun || !flags_.data.empty()) return;
        throw Error(ErrorCode::InvalidInput,
                    "--restore-norm needs training samples: the running statistics of a batch "
                    "normalization are measured on them.",
                    "Specify the samples with --data DATA, or use --dry-run for the report only.");
    }

    Artifacts withNormStatistics(Artifacts artifacts) {
        const OpenSession open = openSession(artifacts, {});
        const OpenedData data = openDataFor(flags_.data, {}, *open.session, context_);
        const auto binding =
            bindData(*open.session, *data.training, flags_.data, flags_.binding, context_);
        const RunSpec run;
        return withMeasuredNorms(std::move(artifacts), std::make_shared<const OpSet>(standardOps()),
                                 *data.training, binding, run.batchSize, run.session.seed);
    }

    void report(const ArtifactPlan& plan, const ArtifactPaths& paths) {
        if (options_.json) {
            printJson(context_, {{"files", filesToJson(paths, flags_.ortFormat)},
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
                         "No artifacts can be created from '" + flags_.model + "'.",
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
        const Json files = filesToJson(paths, flags_.ortFormat);
        for (const auto& item : files.items()) {
            context_.out << item.value().get<std::string>() << '\n';
        }
    }

    const ArtifactsOptions& options_;
    const ArtifactsFlags& flags_;
    CliContext& context_;
    const OpSet ops_;
};

}  // namespace

void addArtifactsCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("artifacts", "Create training artifacts from a model");
    const auto options = std::make_shared<ArtifactsOptions>();
    options->flags.addTo(*command);
    command->add_option("--head-seed", options->headSeed, "Seed of new layers' weights");
    command->add_flag("--dry-run", options->dryRun, "Only report what would be created");
    command->add_flag("--json", options->json, "Print one JSON document");
    command->callback([options, &context] { ArtifactsCommand(*options, context).run(); });
}

}  // namespace temper::cli
