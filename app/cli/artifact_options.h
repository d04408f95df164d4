// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/cli/cli_context.h"
#include "engine/ops/op_set.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/training_session.h"

namespace temper::cli {

/// Locates the four artifacts: a folder with the standard names, single files, or both.
struct ArtifactOptions {
    std::string folder;
    std::string prefix;
    std::string trainModel;
    std::string evalModel;
    std::string optimizerModel;
    std::string checkpoint;
};

/// The positional DIR, and --train-model, --eval-model, --optimizer-model, --checkpoint, --prefix.
void addArtifactOptions(CLI::App& command, ArtifactOptions& options,
                        const std::string& positional = "DIR",
                        const std::string& help = "Folder of training artifacts");

/// The files; empty for an eval or optimizer model that is neither named nor in the folder.
/// Throws: Error(NotFound) for a folder or file that is missing, Error(InvalidInput) if neither a
/// folder nor files are named.
ArtifactPaths resolveArtifacts(const ArtifactOptions& options);

/// --seed, --threads, --device, --precision, ...: those of sessionSettings().
void addSessionOptions(CLI::App& command, SessionOptions& options);

/// A session over artifacts, with everything it refers to.
struct OpenSession {
    std::shared_ptr<CheckpointState> state;
    std::unique_ptr<TrainingSession> session;
};

/// Warns if the checkpoint belongs to another model (C001).
/// Throws: Error naming the file; Error(Unsupported) for an unavailable device or precision.
OpenSession openSession(const ArtifactPaths& paths, const SessionOptions& options,
                        CliContext& context);
OpenSession openSession(Artifacts artifacts, const SessionOptions& options);
OpenSession openSession(Artifacts artifacts, std::shared_ptr<const OpSet> ops,
                        const SessionOptions& options);

}  // namespace temper::cli
