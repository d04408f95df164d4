// SPDX-License-Identifier: Apache-2.0
#include "app/cli/artifact_options.h"

#include <filesystem>

#include "app/cli/number_checks.h"
#include "engine/core/error.h"
#include "engine/runtime/plan_pass.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// The file that was named, or the one of the folder.
fs::path choose(const std::string& named, const fs::path& ofFolder) {
    return named.empty() ? ofFolder : fs::path(named);
}

void requireFile(const fs::path& path, const std::string& what, const std::string& option) {
    if (path.empty()) {
        throw Error(ErrorCode::InvalidInput, "No " + what + " is named.",
                    "Name a folder of artifacts, or the file with " + option + ".");
    }
    if (fs::exists(path)) return;
    throw Error(ErrorCode::NotFound, "The " + what + " '" + path.string() + "' does not exist.",
                "Make artifacts with 'temper artifacts MODEL --out DIR', or name the file with " +
                    option + ".");
}

void requireFolder(const std::string& folder) {
    if (folder.empty() || fs::is_directory(folder)) return;
    const bool exists = fs::exists(folder);
    throw Error(exists ? ErrorCode::InvalidInput : ErrorCode::NotFound,
                "'" + folder + "' " + (exists ? "is not a folder." : "does not exist."),
                "Expected a folder of training artifacts, as 'temper artifacts' makes.");
}

void requireEngine(const EngineOptions& options) { parsePrecision(options.precision); }

}  // namespace

void addArtifactOptions(CLI::App& command, ArtifactOptions& options, const std::string& positional,
                        const std::string& help) {
    command.add_option(positional, options.folder, help);
    command.add_option("--prefix", options.prefix, "In front of the standard file names in DIR");
    command
        .add_option("--train-model", options.trainModel, "The training model, whatever its name")
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

void addEngineOptions(CLI::App& command, EngineOptions& options) {
    command.add_option("--threads", options.threads, "Threads; 0: one per core")
        ->check(between(0, 4096));
    command.add_option("--seed", options.seed, "Seed of shuffling and random operators")
        ->capture_default_str();
    command.add_option("--device", options.device, "cpu")->capture_default_str();
    command
        .add_option("--precision", options.precision, "fp32|bf16: what products are computed in")
        ->capture_default_str();
    command
        .add_option("--memory-share", options.memoryShare,
                    "Part of the memory for activations that is to do: what is missing is computed "
                    "again in the backward pass")
        ->check(between(0.0, 1.0))
        ->capture_default_str();
    command.add_option(
        "--recompute", options.recompute,
        "Kinds of blocks (GELU, Attention, ...) whose activations are computed again");
    command
        .add_option("--without-pass", options.withoutPasses,
                    "Passes of the plan compiler to leave out: " + planPassNames())
        ->type_name("PASS");
}

OpenSession openSession(const ArtifactPaths& paths, const EngineOptions& options) {
    requireEngine(options);
    auto ops = std::make_shared<const OpSet>(standardOps());
    Artifacts artifacts = loadArtifacts(paths, *ops);
    return openSession(std::move(artifacts), std::move(ops), options);
}

OpenSession openSession(Artifacts artifacts, const EngineOptions& options) {
    return openSession(std::move(artifacts), std::make_shared<const OpSet>(standardOps()), options);
}

OpenSession openSession(Artifacts artifacts, std::shared_ptr<const OpSet> ops,
                        const EngineOptions& options) {
    requireEngine(options);
    OpenSession open;
    open.state = std::make_shared<CheckpointState>(artifacts.checkpoint);
    open.session = std::make_unique<TrainingSession>(
        std::move(artifacts), open.state, std::move(ops),
        SessionOptions{.threads = options.threads,
                       .seed = options.seed,
                       .device = options.device,
                       .memoryShare = options.memoryShare,
                       .recompute = options.recompute,
                       .withoutPasses = options.withoutPasses,
                       .precision = parsePrecision(options.precision)});
    return open;
}

}  // namespace temper::cli
