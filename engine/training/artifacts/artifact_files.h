// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "engine/ops/op_set.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/spec/artifact_spec.h"

namespace temper {

class FileGroup;

/// Paths of the four files; empty for a file that is missing.
struct ArtifactPaths {
    std::filesystem::path trainingModel;
    std::filesystem::path evalModel;
    std::filesystem::path optimizerModel;
    std::filesystem::path checkpoint;

    /// ORT's standard names in a folder: `<prefix>training_model.onnx`, ...
    static ArtifactPaths inFolder(const std::filesystem::path& folder,
                                  const std::string& prefix = {});
    /// The files that exist; a model that does not exist as .onnx counts as .ort. The training
    /// model and the checkpoint are always named.
    static ArtifactPaths presentIn(const std::filesystem::path& folder,
                                   const std::string& prefix = {});
};

/// Writes the files atomically; the folder is created if it is missing. With spec.ortFormat, each
/// model is also written in ORT format, together with the operators that a build of ONNX Runtime
/// needs for it (`<model>.required_operators.config`).
/// Returns: the paths written. Throws: Error(Io).
ArtifactPaths saveArtifacts(const Artifacts& artifacts, const std::filesystem::path& folder,
                            const ArtifactSpec& spec);
/// Adds the files to a group; `below`: a folder within its folder, or empty.
void addArtifacts(FileGroup& group, const std::filesystem::path& below, const Artifacts& artifacts,
                  const ArtifactSpec& spec);

/// Reads artifacts, ours or ORT's, in ONNX or ORT format; types are inferred. The eval and
/// optimizer models may be missing; without a checkpoint path no checkpoint is read.
/// Throws: Error naming the file.
Artifacts loadArtifacts(const ArtifactPaths& paths, const OpSet& ops);

/// The four files in memory; all but the training model may be empty.
struct ArtifactBytes {
    std::span<const std::byte> trainingModel;
    std::span<const std::byte> evalModel;
    std::span<const std::byte> optimizerModel;
    std::span<const std::byte> checkpoint;
};

/// The same from memory. Throws: Error(InvalidInput) without a training model.
Artifacts parseArtifacts(const ArtifactBytes& bytes, const OpSet& ops);

}  // namespace temper
