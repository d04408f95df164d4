// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"

#include <filesystem>

#include "app/cli/setting_options.h"
#include "engine/core/error.h"
#include "engine/training/session/model_fingerprint.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// The named file, or the one in the folder.
fs::path choose(const std::string& named, const fs::path& ofFolder) {
    return named.empty() ? ofFolder : fs::path(named);
}

void requireFile(const fs::path& path, const std::string& what, const std::string& option) {
    if (path.empty()) {
        throw Error(ErrorCode::InvalidInput, "No " + what + " is given.",
                    "Specify a folder of artifacts, or the file with " + option + ".");
    }
    if (fs::exists(path)) return;
    throw Error(
        ErrorCode::NotFound, "The " + what + " '" + path.string() + "' does not exist.",
        "Create artifacts with 'temper artifacts MODEL --out DIR', or specify the file with " +
            option + ".");
}

void requireFolder(const std::string& folder) {
    if (folder.empty() || fs::is_directory(folder)) return;
    const bool exists = fs::exists(folder);
    throw Error(exists ? ErrorCode::InvalidInput : ErrorCode::NotFound,
                "'" + folder + "' " + (exists ? "is not a folder." : "does not exist."),
                "Expected a folder of training artifacts, created by 'temper artifacts'.");
}

}  // namespace

void addArtifactOptions(CLI::App& command, ArtifactOptions& options, const std::string& positional,
                        const std::string& help) {
    command.add_option(positional, options.folder, help);
    command.add_option("--prefix", options.prefix, "Prefix of the standard file names in DIR");
    command
        .add_option("--train-model", options.trainModel,
                    "The training model, if it has another name")
        ->type_name("FILE");
    command.add_option("--eval-model", options.evalModel, "The eval model")->type_name("FILE");
    command.add_option("--optimizer-model", options.optimizerModel, "The optimizer model")
        ->type_name("FILE");
    command.add_option("--checkpoint", options.checkpoint, "The checkpoint")->type_name("FILE");
}

ArtifactPaths resolveArtifacts(const ArtifactOptions& options) {
    requireFolder(options.folder);
    ArtifactPaths standard;
    if (!options.folder.empty()) {
        standard = ArtifactPaths::presentIn(options.folder, options.prefix);
    }
    ArtifactPaths paths{.trainingModel = choose(options.trainModel, standard.trainingModel),
                        .evalModel = choose(options.evalModel, standard.evalModel),
                        .optimizerModel = choose(options.optimizerModel, standard.optimizerModel),
                        .checkpoint = choose(options.checkpoint, standard.checkpoint)};
    requireFile(paths.trainingModel, "training model", "--train-model");
    requireFile(paths.checkpoint, "checkpoint", "--checkpoint");
    if (!options.evalModel.empty()) requireFile(paths.evalModel, "eval model", "--eval-model");
    if (!options.optimizerModel.empty()) {
        requireFile(paths.optimizerModel, "optimizer model", "--optimizer-model");
    }
    return paths;
}

void addSessionOptions(CLI::App& command, SessionOptions& options) {
    addSettings(command, sessionSettings(), options);
}

OpenSession openSession(const ArtifactPaths& paths, const SessionOptions& options,
                        CliContext& context) {
    auto ops = std::make_shared<const OpSet>(standardOps());
    Artifacts artifacts = loadArtifacts(paths, *ops);
    OpenSession open = openSession(std::move(artifacts), std::move(ops), options);
    printFindings(context.err, checkpointFindings(open.session->artifacts(), *open.state));
    return open;
}

OpenSession openSession(Artifacts artifacts, const SessionOptions& options) {
    return openSession(std::move(artifacts), std::make_shared<const OpSet>(standardOps()), options);
}

OpenSession openSession(Artifacts artifacts, std::shared_ptr<const OpSet> ops,
                        const SessionOptions& options) {
    OpenSession open;
    open.state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    open.session = std::make_unique<TrainingSession>(std::move(artifacts), open.state,
                                                     std::move(ops), options);
    return open;
}

}  // namespace temper::cli
