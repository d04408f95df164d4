// SPDX-License-Identifier: Apache-2.0
#include "python/src/training_loop.h"

#include <utility>

#include "engine/core/error.h"
#include "python/src/arguments.h"
#include "python/src/arrays.h"

namespace temper::python {
namespace {

Session& native(const nb::object& session) { return *nb::inst_ptr<Session>(session); }

}  // namespace

TrainingLoop::TrainingLoop(nb::object session, nb::object outputsType)
    : session_(std::move(session)),
      outputs_(std::move(outputsType), nb::cast<Session&>(session_).engine().outputNames(true)) {
    for (const std::string& name : native(session_).engine().inputNames(true))
        inputNames_.append(nb::str(name.data(), name.size()));
}

nb::object TrainingLoop::trainStep(nb::args arrays, nb::kwargs named) {
    const nb::object kept = session();
    const std::vector<Tensor> results =
        native(kept).trainStep(arranged(inputNames_, std::move(arrays), std::move(named)));
    const nb::ft_lock_guard lock(mutex_);
    return outputs_.of(results);
}

void TrainingLoop::optimizerStep() {
    const nb::object kept = session();
    native(kept).optimizerStep();
}

void TrainingLoop::resetGradients() {
    const nb::object kept = session();
    native(kept).lazyResetGrad();
}

nb::object TrainingLoop::session() const {
    const nb::ft_lock_guard lock(mutex_);
    if (!session_.is_valid())
        throw Error(ErrorCode::State, "The session is closed.", "Make another one.");
    return session_;
}

bool TrainingLoop::isClosed() const {
    const nb::ft_lock_guard lock(mutex_);
    return !session_.is_valid();
}

void TrainingLoop::close() {
    nb::object dropped;
    const nb::ft_lock_guard lock(mutex_);
    std::swap(dropped, session_);
}

void bindTrainingLoop(nb::module_& module) {
    nb::class_<TrainingLoop>(module, "TrainingLoop", "What a loop calls in each step.")
        .def(nb::init<nb::object, nb::object>(), nb::arg("session"), nb::arg("outputs_type"),
             nb::sig("def __init__(self, session: Session, "
                     "outputs_type: type[Outputs]) -> None"))
        .def("train_step", &TrainingLoop::trainStep,
             nb::sig("def train_step(self, *arrays: typing.Any, **named: typing.Any) -> "
                     "Outputs"),
             R"(Computes the outputs and adds the gradients of the loss to ``gradients``.

Inputs come in the order of ``input_names``, by name, or as one mapping. The first step, and the
first one after reset_gradients(), overwrites the gradients.

Raises:
    InvalidInputError: for a wrong element type or shape. The session is as it was before.)")
        .def("optimizer_step", &TrainingLoop::optimizerStep,
             "Updates the parameters from the gradients. Raises StateError without an optimizer "
             "model.")
        .def("reset_gradients", &TrainingLoop::resetGradients,
             "The next train_step() overwrites the gradients, which keep their values until then.")
        .def_prop_ro("_session", &TrainingLoop::session, nb::sig("def _session(self) -> Session"))
        .def_prop_ro("_is_closed", &TrainingLoop::isClosed)
        .def("_release", &TrainingLoop::close);
}

}  // namespace temper::python
