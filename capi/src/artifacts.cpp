// SPDX-License-Identifier: Apache-2.0
#include "capi/src/artifacts.h"

#include <array>
#include <iterator>

#include "capi/src/arguments.h"
#include "capi/src/failure.h"
#include "capi/src/model.h"
#include "capi/src/operators.h"
#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/session/run_properties.h"

namespace temper::capi {
namespace {

/// Throws: FindingsError if one of the findings is an error.
TemperArtifacts* make(const Graph& model, TrainingSpec spec, uint64_t headSeed) {
    const std::unique_ptr<Graph> graph = model.clone();
    std::vector<Finding> findings = editModelAndChoices(*graph, *sharedOps(), spec, headSeed);
    ArtifactPlan plan = planArtifacts(*graph, *sharedOps(), spec.artifacts);
    findings.insert(findings.end(), plan.findings.begin(), plan.findings.end());
    if (hasErrors(findings)) throw FindingsError(std::move(findings));
    Artifacts made = generateArtifacts(*graph, *sharedOps(), spec.artifacts, plan);
    keepInitialRate(made.checkpoint, spec.run);
    return new TemperArtifacts(std::move(made), spec.artifacts, findings);
}

TemperArtifacts* loaded(Artifacts artifacts) {
    return new TemperArtifacts(std::move(artifacts), {}, {});
}

std::vector<std::string> tensorNames(const std::vector<NamedTensor>& tensors) {
    std::vector<std::string> names;
    for (const NamedTensor& tensor : tensors) names.push_back(tensor.name);
    return names;
}

const std::shared_ptr<const Graph>& modelOf(const Artifacts& artifacts, int32_t kind) {
    switch (kind) {
        case TEMPER_TRAINING_MODEL: return artifacts.trainingModel;
        case TEMPER_EVAL_MODEL: return artifacts.evalModel;
        case TEMPER_OPTIMIZER_MODEL: return artifacts.optimizerModel;
        default: throwIndex("kind of model", kind, 3);
    }
}

constexpr std::array kModelNames = {"training", "eval", "optimizer"};

}  // namespace

}  // namespace temper::capi

using namespace temper;
using namespace temper::capi;

TemperArtifacts::TemperArtifacts(Artifacts made, ArtifactSpec madeWith,
                                 const std::vector<Finding>& remarks)
    : artifacts(std::move(made)),
      spec(std::move(madeWith)),
      trainable(tensorNames(artifacts.checkpoint.trainable)),
      frozen(tensorNames(artifacts.checkpoint.frozen)),
      findings(remarks) {}

TemperStatus temper_artifacts_make(const TemperModel* model, const char* specification,
                                   const TemperArtifactOptions* options,
                                   TemperArtifacts** artifacts, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(artifacts, nullptr, "artifacts");
        const TemperArtifactOptions known = optionsOf(options, "options");
        *artifacts =
            make(*required(model, "model").graph, specificationOf(specification), known.head_seed);
    });
}

TemperStatus temper_artifacts_load(const char* folder, TemperArtifacts** artifacts,
                                   TemperFailure** failure) {
    return guarded(failure, [&] {
        set(artifacts, nullptr, "artifacts");
        const auto paths = ArtifactPaths::presentIn(requiredPath(folder, "folder"));
        *artifacts = loaded(loadArtifacts(paths, *sharedOps()));
    });
}

TemperStatus temper_artifacts_load_files(const TemperArtifactPaths* paths,
                                         TemperArtifacts** artifacts, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(artifacts, nullptr, "artifacts");
        const TemperArtifactPaths given = optionsOf(&required(paths, "paths"), "paths");
        *artifacts = loaded(
            loadArtifacts({.trainingModel = requiredPath(given.training_model, "training_model"),
                           .evalModel = optionalText(given.eval_model),
                           .optimizerModel = optionalText(given.optimizer_model),
                           .checkpoint = optionalText(given.checkpoint)},
                          *sharedOps()));
    });
}

TemperStatus temper_artifacts_from_bytes(const TemperArtifactBytes* bytes,
                                         TemperArtifacts** artifacts, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(artifacts, nullptr, "artifacts");
        const TemperArtifactBytes given = optionsOf(&required(bytes, "bytes"), "bytes");
        required(static_cast<const char*>(given.training_model), "training_model");
        const ArtifactBytes files{
            bytesOf(given.training_model, given.training_model_size, "training_model"),
            bytesOf(given.eval_model, given.eval_model_size, "eval_model"),
            bytesOf(given.optimizer_model, given.optimizer_model_size, "optimizer_model"),
            bytesOf(given.checkpoint, given.checkpoint_size, "checkpoint")};
        *artifacts = loaded(parseArtifacts(files, *sharedOps()));
    });
}

TemperStatus temper_artifacts_save(const TemperArtifacts* artifacts, const char* folder,
                                   TemperFailure** failure) {
    return guarded(failure, [&] {
        const TemperArtifacts& made = required(artifacts, "artifacts");
        saveArtifacts(made.artifacts, requiredPath(folder, "folder"), made.spec);
    });
}

void temper_artifacts_release(TemperArtifacts* artifacts) { delete artifacts; }

TemperStatus temper_artifacts_trainable(const TemperArtifacts* artifacts, TemperNames* names,
                                        TemperFailure** failure) {
    return guarded(failure,
                   [&] { set(names, required(artifacts, "artifacts").trainable.view(), "names"); });
}

TemperStatus temper_artifacts_frozen(const TemperArtifacts* artifacts, TemperNames* names,
                                     TemperFailure** failure) {
    return guarded(failure,
                   [&] { set(names, required(artifacts, "artifacts").frozen.view(), "names"); });
}

TemperStatus temper_artifacts_findings(const TemperArtifacts* artifacts,
                                       const TemperFindings** findings, TemperFailure** failure) {
    return guarded(failure,
                   [&] { set(findings, &required(artifacts, "artifacts").findings, "findings"); });
}

TemperStatus temper_artifacts_model(const TemperArtifacts* artifacts, int32_t kind,
                                    TemperModel** model, TemperFailure** failure) {
    return guarded(failure, [&] {
        set(model, nullptr, "model");
        const auto& graph = modelOf(required(artifacts, "artifacts").artifacts, kind);
        if (!graph) {
            throw Error(ErrorCode::NotFound,
                        "The artifacts have no " +
                            std::string(kModelNames.at(static_cast<size_t>(kind))) + " model.");
        }
        *model = new TemperModel(graph);
    });
}
