// SPDX-License-Identifier: Apache-2.0
#include "engine/training/artifacts/artifacts.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <iterator>

#include "engine/training/artifacts/artifact_files.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/session/run_properties.h"
#include "engine/training/spec/training_spec.h"
#include "python/src/artifacts_state.h"
#include "python/src/errors.h"
#include "python/src/interpreter.h"
#include "python/src/model.h"
#include "python/src/shared_artifacts.h"
#include "python/src/shared_state.h"

namespace temper::python {
namespace {

/// With the findings of the plan; there are no graphs if one of them is an error.
SharedArtifacts plan(const Model& model, const std::string& specification, uint64_t headSeed) {
    SharedArtifacts made;
    TrainingSpec spec = trainingSpecFromJson(specification);
    const std::unique_ptr<Graph> graph = model.graph->clone();
    made.findings = editModelAndChoices(*graph, *sharedOps(), spec, headSeed);
    ArtifactPlan plan = planArtifacts(*graph, *sharedOps(), spec.artifacts);
    std::ranges::move(plan.findings, std::back_inserter(made.findings));
    made.trainable = plan.trainable;
    made.frozen = plan.frozen;
    made.spec = spec.artifacts;
    made.gradientChoices = {plan.straightThrough, plan.stopGradient};
    if (hasErrors(made.findings)) return made;
    made.artifacts = generateArtifacts(*graph, *sharedOps(), spec.artifacts, plan);
    keepInitialRate(made.artifacts.checkpoint, spec.run);
    return made;
}

SharedArtifacts makeArtifacts(const Model& model, const std::string& specification,
                              uint64_t headSeed) {
    SharedArtifacts made;
    {
        const LockReleased released;
        made = plan(model, specification, headSeed);
    }
    if (hasErrors(made.findings)) throwFindings(made.findings);
    return made;
}

SharedArtifacts loadFiles(const std::filesystem::path& training,
                          const std::optional<std::filesystem::path>& eval,
                          const std::optional<std::filesystem::path>& optimizer,
                          const std::optional<std::filesystem::path>& checkpoint) {
    SharedArtifacts loaded;
    loaded.artifacts = loadArtifacts({.trainingModel = training,
                                      .evalModel = eval.value_or(""),
                                      .optimizerModel = optimizer.value_or(""),
                                      .checkpoint = checkpoint.value_or("")},
                                     *sharedOps());
    const auto namesOf = [](const std::vector<NamedTensor>& tensors) {
        std::vector<std::string> names;
        for (const NamedTensor& tensor : tensors) names.push_back(tensor.name);
        return names;
    };
    loaded.trainable = namesOf(loaded.artifacts.checkpoint.trainable);
    loaded.frozen = namesOf(loaded.artifacts.checkpoint.frozen);
    return loaded;
}

std::optional<Model> modelOf(const std::shared_ptr<const Graph>& graph, const char* origin) {
    if (!graph) return std::nullopt;
    return Model{graph, origin, {}};
}

}  // namespace

void bindArtifacts(nb::module_& module) {
    using Released = nb::call_guard<LockReleased>;
    nb::class_<SharedArtifacts>(
        module, "Artifacts",
        "What training starts from: three models and a checkpoint. They do not "
        "change.\n\n"
        ">>> import temper\n"
        ">>> made = temper.artifacts(mlp_path)\n"
        ">>> made.save(folder / 'artifacts')\n"
        ">>> sorted(file.name for file in (folder / 'artifacts').iterdir())\n"
        "['checkpoint', 'eval_model.onnx', 'optimizer_model.onnx', "
        "'training_model.onnx']")
        .def_prop_ro(
            "training_model",
            [](const SharedArtifacts& self) {
                return Model{self.artifacts.trainingModel, "(training model)", {}};
            },
            "Computes the loss and adds gradients to their buffers: a Model.")
        .def_prop_ro(
            "eval_model",
            [](const SharedArtifacts& self) {
                return modelOf(self.artifacts.evalModel, "(eval model)");
            },
            "Computes the loss only; None if there is none.")
        .def_prop_ro(
            "optimizer_model",
            [](const SharedArtifacts& self) {
                return modelOf(self.artifacts.optimizerModel, "(optimizer model)");
            },
            "Updates the parameters; None if there is none.")
        .def_ro("trainable", &SharedArtifacts::trainable, "Names of the parameters that train.")
        .def_ro("frozen", &SharedArtifacts::frozen, "Names of the parameters that do not.")
        .def_ro("findings", &SharedArtifacts::findings, "Remarks: a list of Finding.")
        .def(
            "save",
            [](const SharedArtifacts& self, const std::filesystem::path& folder) {
                saveArtifacts(self.artifacts, folder, self.spec);
            },
            nb::arg("folder"), Released(),
            nb::sig("def save(self, folder: " TEMPER_PATH ") -> None"),
            "Writes the files under ONNX Runtime's names: training_model.onnx, eval_model.onnx, "
            "optimizer_model.onnx and checkpoint. The folder is created if it is missing.")
        .def(
            "new_state",
            [](const SharedArtifacts& self) {
                return std::make_shared<SharedState>(CheckpointState(self.artifacts.checkpoint));
            },
            Released())
        .def("__getstate__", &stateOfArtifacts)
        .def("__setstate__", &restoreArtifacts)
        .def("__copy__", [](const nb::object& self) { return self; })
        .def("__deepcopy__", [](const nb::object& self, const nb::handle&) { return self; });
    module.def("make_artifacts", &makeArtifacts, nb::arg("model"), nb::arg("specification"),
               nb::arg("head_seed"));
    module.def("load_artifacts", &loadFiles, nb::arg("training_model"),
               nb::arg("eval_model").none(), nb::arg("optimizer_model").none(),
               nb::arg("checkpoint").none(), Released(),
               nb::sig("def load_artifacts(training_model: str, eval_model: str | None, "
                       "optimizer_model: str | None, checkpoint: str | None) -> Artifacts"));
}

}  // namespace temper::python
