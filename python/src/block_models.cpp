// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "engine/ir/type_inference.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/artifacts/training_graphs.h"
#include "engine/training/artifacts/training_opset.h"
#include "engine/training/blocks/block.h"
#include "engine/training/opset/opset_upgrade.h"
#include "engine/training/spec/training_spec.h"
#include "python/src/arrays.h"
#include "python/src/errors.h"
#include "python/src/interpreter.h"
#include "python/src/model.h"
#include "python/src/shared_artifacts.h"

namespace temper::python {
namespace {

void requireReadable(const Graph& graph, const std::vector<std::string>& trainable) {
    for (const std::string& name : trainable) {
        const Value* value = graph.find(name);
        if (value == nullptr) {
            throw Error(ErrorCode::NotFound,
                        "'" + name + "' requires a gradient, but is not found in the graph.",
                        "Name an initializer or an input of the model.");
        }
        if (!value->uses().empty()) continue;
        throw Error(ErrorCode::InvalidInput,
                    "'" + name + "' requires a gradient, but no node reads it.",
                    "Remove it, or freeze it.");
    }
}

/// All that keeps the initializers among the trainable names from training. A graph input that
/// gets a gradient has no finding: rules tell about it when they are applied.
std::vector<Finding> errorsOf(const Graph& graph, const ParameterNames& names) {
    ArtifactSpec spec;
    spec.loss.key = "none";
    spec.lossInputs = {graph.outputs().front()->name()};
    spec.optimizer.key = "none";
    for (const std::string& name : names.trainable) {
        if (graph.at(name)->isInitializer()) spec.trainable.push_back(name);
    }
    if (spec.trainable.empty()) return {};
    std::vector<Finding> findings = planArtifacts(graph, *sharedOps(), spec).findings;
    std::erase_if(findings, [](const Finding& f) { return f.severity != Severity::Error; });
    return findings;
}

/// Training and eval model and checkpoint of a model whose first output is the loss.
SharedArtifacts blockArtifacts(const Model& model, const ParameterNames& names,
                               const std::string& specification) {
    const std::shared_ptr<const OpSet> ops = sharedOps();
    std::unique_ptr<Graph> graph = model.graph->clone();
    raiseOpset(*graph);
    fitTrainingOpset(*graph, ops->catalog);
    inferTypes(*graph, ops->catalog);
    requireReadable(*graph, names.trainable);
    SharedArtifacts made;
    made.spec = trainingSpecFromJson(specification).artifacts;
    made.findings = errorsOf(*graph, names);
    if (hasErrors(made.findings)) return made;
    blocks::requireSingleNumber(*graph->outputs().front());
    TrainingGraphs graphs = makeTrainingGraphs(std::move(graph), *ops, ops->gradients, names);
    made.artifacts.trainingModel = std::move(graphs.training);
    made.artifacts.evalModel = std::move(graphs.eval);
    made.artifacts.checkpoint = std::move(graphs.checkpoint);
    return made;
}

SharedArtifacts makeBlockArtifacts(const Model& model, std::vector<std::string> trainable,
                                   std::vector<std::string> frozen,
                                   const std::string& specification) {
    SharedArtifacts made;
    {
        const LockReleased released;
        made = blockArtifacts(model, {std::move(trainable), std::move(frozen)}, specification);
    }
    if (hasErrors(made.findings)) throwFindings(made.findings);
    return made;
}

SharedArtifacts withOptimizer(SharedArtifacts artifacts, const Model& optimizer) {
    artifacts.artifacts.optimizerModel = optimizer.graph;
    return artifacts;
}

std::vector<NamedTensor> namedTensors(const nb::dict& arrays) {
    std::vector<NamedTensor> tensors;
    for (const auto [key, value] : arrays) {
        auto name = nb::cast<std::string>(key);
        Tensor data = tensorFrom(value, "parameter '" + name + "'");
        tensors.push_back({std::move(name), std::move(data)});
    }
    return tensors;
}

void writeArrays(const std::filesystem::path& path, const nb::dict& trainable,
                 const nb::dict& frozen, bool isNominal) {
    CheckpointFile file;
    file.trainable = namedTensors(trainable);
    file.frozen = namedTensors(frozen);
    file.isNominal = isNominal;
    const LockReleased released;
    writeCheckpoint(file, path);
}

}  // namespace

void bindBlockModels(nb::module_& module) {
    module.def("make_block_artifacts", &makeBlockArtifacts, nb::arg("model"), nb::arg("trainable"),
               nb::arg("frozen"), nb::arg("specification"));
    module.def("with_optimizer", &withOptimizer, nb::arg("artifacts"), nb::arg("optimizer"));
    module.def("write_checkpoint", &writeArrays, nb::arg("path"), nb::arg("trainable"),
               nb::arg("frozen"), nb::arg("is_nominal"),
               nb::sig("def write_checkpoint(path: " TEMPER_PATH
                       ", trainable: collections.abc.Mapping[str, object], "
                       "frozen: collections.abc.Mapping[str, object], "
                       "is_nominal: bool) -> None"));
}

}  // namespace temper::python
