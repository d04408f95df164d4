// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/optimizer.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>

#include "engine/ir/type_inference.h"
#include "engine/onnx/model_file.h"
#include "engine/training/opset/opset_conversion.h"
#include "engine/training/optimizers/lr_curves.h"
#include "python/src/session.h"

namespace temper::python {
namespace {

std::shared_ptr<const Graph> loadOptimizer(const std::filesystem::path& path) {
    const auto ops = sharedOps();
    std::shared_ptr<Graph> graph = loadModel(path, {.unifyOpsets = opsetUnifier(ops->catalog)});
    inferTypes(*graph, ops->catalog);
    return graph;
}

/// An optimizer model over the state of a session, which it keeps alive. Like ONNX Runtime it keeps
/// its learning rate out of the checkpoint.
class StateOptimizer {
public:
    StateOptimizer(const std::filesystem::path& path, std::shared_ptr<Session> session)
        : session_(std::move(session)) {
        const Turn turn(session_->state());
        forgetRate();
        optimizer_ =
            std::make_unique<Optimizer>(loadOptimizer(path), session_->trainable(),
                                        session_->state().state(), session_->engine().context());
    }

    void step() {
        session_->requireHome();
        const TrainingTurn turn(session_->state());
        optimizer_->setLearningRate(rate_);
        optimizer_->step();
        forgetRate();
    }

    float learningRate() {
        const Turn turn(session_->state());
        return rate_;
    }

    void setLearningRate(float rate) {
        const Turn turn(session_->state());
        rate_ = rate;
    }

    void setInitialLearningRate(float rate) {
        const Turn turn(session_->state());
        session_->state().state().optimizerState().initialLearningRate = rate;
        rate_ = rate;
    }

    int64_t stepsDone() {
        const Turn turn(session_->state());
        return session_->state().state().optimizerState().step;
    }

private:
    void forgetRate() { session_->state().state().properties().erase("temper.learning_rate"); }

    std::shared_ptr<Session> session_;
    std::unique_ptr<Optimizer> optimizer_;
    float rate_ = OptimizerState().initialLearningRate;
};

}  // namespace

void bindOptimizer(nb::module_& module) {
    nb::class_<StateOptimizer>(module, "Optimizer", "An optimizer model over a session's state.")
        .def(nb::init<const std::filesystem::path&, std::shared_ptr<Session>>(), nb::arg("path"),
             nb::arg("session"),
             nb::sig("def __init__(self, path: " TEMPER_PATH ", session: Session) -> None"))
        .def("step", &StateOptimizer::step)
        .def_prop_ro("steps_done", &StateOptimizer::stepsDone)
        .def("learning_rate", &StateOptimizer::learningRate)
        .def("set_learning_rate", &StateOptimizer::setLearningRate, nb::arg("learning_rate"))
        .def("set_initial_learning_rate", &StateOptimizer::setInitialLearningRate,
             nb::arg("learning_rate"));
    module.def("linear_lr_factor", &linearLrFactor, nb::arg("step"), nb::arg("warmup_steps"),
               nb::arg("total_steps"));
}

}  // namespace temper::python
