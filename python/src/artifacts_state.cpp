// SPDX-License-Identifier: Apache-2.0
#include "python/src/artifacts_state.h"

#include <cstddef>
#include <memory>
#include <span>

#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/spec/training_spec.h"
#include "python/src/interpreter.h"

namespace temper::python {
namespace {

nb::bytes toBytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

std::span<const std::byte> bytesOf(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

}  // namespace

ArtifactsState stateOfArtifacts(const SharedArtifacts& artifacts) {
    std::vector<std::string> files;
    TrainingSpec spec;
    spec.artifacts = artifacts.spec;
    {
        const LockReleased released;
        for (const auto& model : {artifacts.artifacts.trainingModel, artifacts.artifacts.evalModel,
                                  artifacts.artifacts.optimizerModel}) {
            files.push_back(model ? serializeModel(*model) : std::string());
        }
        files.push_back(serializeCheckpoint(artifacts.artifacts.checkpoint));
    }
    std::vector<nb::bytes> bytes;
    for (const std::string& file : files) bytes.push_back(toBytes(file));
    return {bytes,
            toJson(spec),
            {artifacts.trainable, artifacts.frozen, artifacts.gradientChoices.straightThrough,
             artifacts.gradientChoices.stopGradient},
            artifacts.findings};
}

void restoreArtifacts(SharedArtifacts& artifacts, const ArtifactsState& state) {
    const auto& [files, spec, names, findings] = state;
    const ArtifactBytes bytes{bytesOf(files.at(0)), bytesOf(files.at(1)), bytesOf(files.at(2)),
                              bytesOf(files.at(3))};
    SharedArtifacts restored;
    restored.artifacts = parseArtifacts(bytes, *sharedOps());
    restored.spec = trainingSpecFromJson(spec).artifacts;
    restored.trainable = names.at(0);
    restored.frozen = names.at(1);
    restored.gradientChoices = {names.at(2), names.at(3)};
    restored.findings = findings;
    new (&artifacts) SharedArtifacts(std::move(restored));
}

}  // namespace temper::python
