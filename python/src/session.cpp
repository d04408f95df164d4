// SPDX-License-Identifier: Apache-2.0
#include "python/src/session.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "engine/training/binding/binding.h"
#include "engine/training/export/inference_export.h"
#include "engine/training/loss/loss_info.h"
#include "engine/training/session/model_fingerprint.h"
#include "engine/training/spec/training_spec.h"
#include "python/src/arrays.h"
#include "python/src/signal_watch.h"

namespace temper::python {
namespace {

/// Results are in memory that the next step uses again: they are copied.
std::vector<Tensor> copied(std::span<const Tensor> results) {
    std::vector<Tensor> copies;
    for (const Tensor& result : results) copies.push_back(result.clone());
    return copies;
}

/// Calls a function of the engine's session in this thread's turn.
template <typename Kind = Turn, typename Result, typename... Arguments>
auto inTurn(Result (TrainingSession::*function)(Arguments...)) {
    return [function](Session& self, Arguments... arguments) -> Result {
        self.requireHome();
        const Kind turn(self.state());
        return (self.engine().*function)(arguments...);
    };
}

template <typename Kind = Turn, typename Result, typename... Arguments>
auto inTurn(Result (TrainingSession::*function)(Arguments...) const) {
    return [function](Session& self, Arguments... arguments) -> Result {
        self.requireHome();
        const Kind turn(self.state());
        return (self.engine().*function)(arguments...);
    };
}

nb::object toBuffer(Session& self, bool trainableOnly) {
    Tensor buffer;
    {
        const Turn turn(self.state());
        buffer = self.engine().toBuffer(trainableOnly);
    }
    return viewOf(buffer);
}

void fromBuffer(Session& self, nb::handle array, bool trainableOnly) {
    const Tensor buffer = tensorFrom(array, "the buffer of parameters");
    const Turn turn(self.state());
    self.engine().fromBuffer(buffer, trainableOnly);
}

/// What the loss of the eval model reads; none if it is the model's own.
std::vector<std::string> predictions(const TrainingSession& session) {
    if (!session.artifacts().evalModel) return {};
    return describeLoss(*session.artifacts().evalModel).predictions;
}

void exportModel(TrainingSession& session, const std::filesystem::path& path,
                 const std::vector<std::string>& outputs, bool foldBatchNorms, bool externalData,
                 int64_t opset, const std::map<std::string, std::string>& rename, bool asItCame) {
    exportInferenceModel(session,
                         {path, outputs, foldBatchNorms, externalData, opset, rename, asItCame},
                         *sharedOps());
}

}  // namespace

Session::Session(const SharedArtifacts& artifacts, std::shared_ptr<SharedState> state,
                 const std::string& options)
    : state_(std::move(state)) {
    const Turn turn(*state_);
    const SessionOptions chosen = trainingSpecFromJson(options).run.session;
    session_ = std::make_unique<TrainingSession>(
        artifacts.artifacts, std::shared_ptr<CheckpointState>(state_, &state_->state()),
        sharedOps(), chosen);
}

std::vector<Tensor> Session::trainStep(const std::vector<nb::object>& inputs) {
    const std::vector<Tensor> tensors = tensorsFrom(inputs, session_->inputNames(true));
    requireHome();
    const TrainingTurn turn(*state_);
    try {
        return copied(SignalWatch::during([&] { return session_->trainStep(tensors); }));
    } catch (const nb::python_error&) {
        session_->lazyResetGrad();  // the gradients are those of half a step
        throw;
    }
}

void Session::optimizerStep() {
    requireHome();
    const TrainingTurn turn(*state_);
    session_->optimizerStep();
}

void Session::lazyResetGrad() {
    requireHome();
    const BriefTrainingTurn turn(*state_);
    session_->lazyResetGrad();
}

nb::list Session::evalStep(const std::vector<nb::object>& inputs) {
    return evaluate(inputs, session_->outputNames(false));
}

nb::list Session::evaluate(const std::vector<nb::object>& inputs,
                           const std::vector<std::string>& values) {
    // without an eval model the names are empty: the engine's error says so, not a wrong count
    const bool canEvaluate = session_->artifacts().evalModel != nullptr;
    const std::vector<Tensor> tensors =
        canEvaluate ? tensorsFrom(inputs, session_->inputNames(false)) : std::vector<Tensor>();
    std::vector<Tensor> results;
    {
        requireHome();
        const Turn turn(*state_);
        results = copied(SignalWatch::during([&] { return session_->evaluate(tensors, values); }));
    }
    return viewsOf(results);
}

std::vector<std::string> Session::trainable() {
    std::vector<std::string> names;
    for (const Value* input : session_->artifacts().trainingModel->inputs()) {
        const std::string& name = input->name();
        const CheckpointState& state = state_->state();
        if (state.hasParameter(name) && state.parameter(name).requiresGrad) names.push_back(name);
    }
    return names;
}

void bindSession(nb::module_& module) {
    nb::class_<Session>(module, "Session", "Computes losses and gradients, and updates.")
        .def(nb::init<const SharedArtifacts&, std::shared_ptr<SharedState>, const std::string&>(),
             nb::arg("artifacts"), nb::arg("state"), nb::arg("options"))
        .def(
            "train_step",
            [](Session& self, const std::vector<nb::object>& inputs) {
                return viewsOf(self.trainStep(inputs));
            },
            nb::arg("inputs"),
            nb::sig("def train_step(self, inputs: " TEMPER_INPUTS ") -> " TEMPER_ARRAYS))
        .def("eval_step", &Session::evalStep, nb::arg("inputs"),
             nb::sig("def eval_step(self, inputs: " TEMPER_INPUTS ") -> " TEMPER_ARRAYS))
        .def("evaluate", &Session::evaluate, nb::arg("inputs"), nb::arg("values"),
             nb::sig("def evaluate(self, inputs: " TEMPER_INPUTS
                     ", values: list[str]) -> " TEMPER_ARRAYS))
        .def("lazy_reset_grad", &Session::lazyResetGrad)
        .def("optimizer_step", &Session::optimizerStep)
        .def("learning_rate", inTurn(&TrainingSession::learningRate))
        .def("set_learning_rate", inTurn(&TrainingSession::setLearningRate))
        .def("set_seed", inTurn<TrainingTurn>(&TrainingSession::setSeed))
        .def("gradient_norm", inTurn(&TrainingSession::gradientNorm))
        .def("scale_gradients", inTurn<TrainingTurn>(&TrainingSession::scaleGradients))
        .def("input_names",
             [](Session& self, bool training) { return self.engine().inputNames(training); })
        .def("output_names",
             [](Session& self, bool training) { return self.engine().outputNames(training); })
        .def("trainable", &Session::trainable)
        .def("fixed_batch_size", [](Session& self) { return fixedBatchSize(self.engine(), true); })
        .def("predictions", [](Session& self) { return predictions(self.engine()); })
        .def("parameters_size",
             [](Session& self, bool trainableOnly) {
                 return self.engine().parametersSize(trainableOnly);
             })
        .def("to_buffer", &toBuffer, nb::arg("trainable_only"),
             nb::sig("def to_buffer(self, trainable_only: bool) -> " TEMPER_ARRAY))
        .def("from_buffer", &fromBuffer, nb::arg("array"), nb::arg("trainable_only"))
        .def("checkpoint_findings",
             [](Session& self) {
                 const Turn turn(self.state());
                 return checkpointFindings(self.engine().artifacts(), self.state().state());
             })
        .def(
            "save",
            [](Session& self, const std::filesystem::path& path, bool includeOptimizerState) {
                self.requireHome();
                const Turn turn(self.state());
                keepModelFingerprint(self.engine());
                self.engine().state().save(path, includeOptimizerState);
            },
            nb::arg("path"), nb::arg("include_optimizer_state"),
            nb::sig("def save(self, path: " TEMPER_PATH ", include_optimizer_state: bool) -> None"))
        .def(
            "export",
            [](Session& self, const std::filesystem::path& path,
               const std::vector<std::string>& outputs, bool foldBatchNorms, bool externalData,
               int64_t opset, const std::map<std::string, std::string>& rename, bool asItCame) {
                const Turn turn(self.state());
                exportModel(self.engine(), path, outputs, foldBatchNorms, externalData, opset,
                            rename, asItCame);
            },
            nb::sig("def export(self, path: str, outputs: list[str], fold_batch_norms: bool, "
                    "external_data: bool, opset: int, rename: dict[str, str], "
                    "as_it_came: bool) -> None"));
}

}  // namespace temper::python
