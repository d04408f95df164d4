// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/artifact_files.h"

#include "engine/core/file.h"
#include "engine/core/file_group.h"
#include "engine/ir/type_inference.h"
#include "engine/onnx/checkpoint_folder.h"
#include "engine/onnx/model_file.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/ort/ort_model.h"
namespace temper {
namespace {

std::shared_ptr<const Graph> loadTyped(const std::filesystem::path& path, const OpSet& ops) {
    if (path.empty()) return nullptr;
    std::shared_ptr<Graph> graph = loadModel(path);
    inferTypes(*graph, ops.catalog);
    return graph;
}

/// A nominal checkpoint: names and element types, no data. Source: spec/checkpoint.md section 6.
CheckpointFile nominalOf(const CheckpointFile& full) {
    CheckpointFile nominal;
    nominal.isNominal = true;
    const auto strip = [](const std::vector<NamedTensor>& from, std::vector<NamedTensor>& to) {
        for (const NamedTensor& tensor : from) {
            to.push_back({tensor.name, Tensor(tensor.data.dtype(), {})});
        }
    };
    strip(full.trainable, nominal.trainable);
    strip(full.frozen, nominal.frozen);
    return nominal;
}

std::filesystem::path ortPath(std::filesystem::path onnxPath) {
    return onnxPath.replace_extension(".ort");
}

void save(const Graph& model, const std::filesystem::path& path, bool ortFormat) {
    saveModel(model, path);
    if (!ortFormat) return;
    saveModel(model, ortPath(path));
    std::filesystem::path config = path;
    writeFileAtomically(config.replace_extension(".required_operators.config"),
                        requiredOperators(model));
}

}  // namespace

ArtifactPaths ArtifactPaths::inFolder(const std::filesystem::path& folder,
                                      const std::string& prefix) {
    return {folder / (prefix + "training_model.onnx"), folder / (prefix + "eval_model.onnx"),
            folder / (prefix + "optimizer_model.onnx"), folder / (prefix + "checkpoint")};
}

ArtifactPaths ArtifactPaths::presentIn(const std::filesystem::path& folder,
                                       const std::string& prefix) {
    finishFileGroup(folder);
    ArtifactPaths paths = inFolder(folder, prefix);
    const auto choose = [](std::filesystem::path& path, bool isNeeded) {
        if (std::filesystem::exists(path)) return;
        const std::filesystem::path ort = ortPath(path);
        if (std::filesystem::exists(ort)) {
            path = ort;
        } else if (!isNeeded) {
            path.clear();
        }
    };
    choose(paths.trainingModel, true);
    choose(paths.evalModel, false);
    choose(paths.optimizerModel, false);
    return paths;
}

ArtifactPaths saveArtifacts(const Artifacts& artifacts, const std::filesystem::path& folder,
                            const ArtifactSpec& spec) {
    FileGroup group(folder);
    addArtifacts(group, {}, artifacts, spec);
    group.commit();
    ArtifactPaths paths = ArtifactPaths::inFolder(folder, spec.prefix);
    if (!artifacts.evalModel) paths.evalModel.clear();
    if (!artifacts.optimizerModel) paths.optimizerModel.clear();
    return paths;
}

void addArtifacts(FileGroup& group, const std::filesystem::path& below, const Artifacts& artifacts,
                  const ArtifactSpec& spec) {
    const ArtifactPaths names = ArtifactPaths::inFolder(below, spec.prefix);
    const auto add = [&](const std::shared_ptr<const Graph>& model,
                         const std::filesystem::path& name) {
        if (!model) return;
        group.write(name, [&](const auto& path) { save(*model, path, spec.ortFormat); });
    };
    add(artifacts.trainingModel, names.trainingModel);
    add(artifacts.evalModel, names.evalModel);
    add(artifacts.optimizerModel, names.optimizerModel);
    group.write(names.checkpoint,
                [&](const auto& path) { writeCheckpoint(artifacts.checkpoint, path); });
    if (!spec.nominalCheckpoint) return;
    group.write(below / (spec.prefix + "nominal_checkpoint"),
                [&](const auto& path) { writeCheckpoint(nominalOf(artifacts.checkpoint), path); });
}

Artifacts loadArtifacts(const ArtifactPaths& paths, const OpSet& ops) {
    const auto present = [](const std::filesystem::path& path) {
        return !path.empty() && std::filesystem::exists(path) ? path : std::filesystem::path();
    };
    Artifacts artifacts;
    artifacts.trainingModel = loadTyped(paths.trainingModel, ops);
    artifacts.evalModel = loadTyped(present(paths.evalModel), ops);
    artifacts.optimizerModel = loadTyped(present(paths.optimizerModel), ops);
    if (!paths.checkpoint.empty()) artifacts.checkpoint = loadCheckpoint(paths.checkpoint);
    return artifacts;
}

Artifacts parseArtifacts(const ArtifactBytes& bytes, const OpSet& ops) {
    const auto parse = [&](std::span<const std::byte> model, const char* name) {
        if (model.empty()) return std::shared_ptr<Graph>();
        std::shared_ptr<Graph> graph = parseModel(model, name);
        inferTypes(*graph, ops.catalog);
        return graph;
    };
    if (bytes.trainingModel.empty()) {
        throw Error(ErrorCode::InvalidInput,
                    "Training Session Creation failed. Train model data cannot be NULL.",
                    "Pass the bytes of a training model.");
    }
    Artifacts artifacts;
    artifacts.trainingModel = parse(bytes.trainingModel, "training model");
    artifacts.evalModel = parse(bytes.evalModel, "eval model");
    artifacts.optimizerModel = parse(bytes.optimizerModel, "optimizer model");
    if (!bytes.checkpoint.empty()) {
        artifacts.checkpoint = parseCheckpoint(bytes.checkpoint, "checkpoint");
    }
    return artifacts;
}

}  // namespace temper
