// SPDX-License-Identifier: Apache-2.0
#include "engine/training/rehearsal/gradient_check.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "python/src/arrays.h"
#include "python/src/interpreter.h"
#include "python/src/session.h"

namespace temper::python {
namespace {

/// Throws: the exception of a signal's handler, such as KeyboardInterrupt.
void handleSignals() {
    const LockAcquired acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::vector<GradientCheck> checkSession(Session& session, const SharedArtifacts& artifacts,
                                        const std::vector<nb::object>& inputs, uint64_t seed) {
    const std::vector<Tensor> tensors = tensorsFrom(inputs, session.engine().inputNames(true));
    session.requireHome();
    const TrainingTurn turn(session.state());
    return checkGradients(session.engine(), sharedOps(), tensors, seed, artifacts.gradientChoices,
                          [](size_t, size_t) {
                              handleSignals();
                              return true;
                          });
}

std::string checkText(const GradientCheck& check) {
    return "<GradientCheck '" + check.name + "', relative error " +
           std::to_string(check.maxRelativeError) + ", rounding error " +
           std::to_string(check.roundingError) + ">";
}

}  // namespace

void bindGradientCheck(nb::module_& module) {
    nb::class_<GradientCheck>(module, "GradientCheck",
                              "How well the gradient of a parameter agrees with differences of the "
                              "loss.\n\n"
                              ">>> import temper\n"
                              ">>> product = temper.from_text('(float[N] x) => (float[N] y) "
                              "<float[1] w = {2}> { y = Mul(x, w) }')\n"
                              ">>> feeds = {'x': [1.0, 3.0], 'target': [0.0, 0.0]}\n"
                              ">>> import numpy\n"
                              ">>> feeds = {name: numpy.array(values, numpy.float32)\n"
                              "...          for name, values in feeds.items()}\n"
                              ">>> temper.gradcheck(product, feeds, loss='mse')['w'].passes(1e-3)\n"
                              "True")
        .def_ro("name", &GradientCheck::name, "The parameter's.")
        .def_ro("max_relative_error", &GradientCheck::maxRelativeError,
                "Against differences of the loss, the largest over all directions.")
        .def_ro("rounding_error", &GradientCheck::roundingError,
                "Of the float32 gradient against the float64 one: the norm of their difference, as "
                "a share of the norm.")
        .def("passes", &GradientCheck::passes, nb::arg("tolerance"),
             "Whether the relative error is at most the tolerance, and the rounding error no "
             "larger than rounding explains.")
        .def("__getstate__",
             [](const GradientCheck& self) {
                 return std::make_tuple(self.name, self.maxRelativeError, self.roundingError);
             })
        .def("__setstate__",
             [](GradientCheck& self, const std::tuple<std::string, double, double>& state) {
                 const auto& [name, maxRelativeError, roundingError] = state;
                 new (&self) GradientCheck{name, maxRelativeError, roundingError};
             })
        .def("__repr__", &checkText);
    module.def("check_gradients", &checkSession, nb::arg("session"), nb::arg("artifacts"),
               nb::arg("inputs"), nb::arg("seed"),
               nb::sig("def check_gradients(session: Session, artifacts: Artifacts, "
                       "inputs: " TEMPER_INPUTS ", seed: int) -> list[GradientCheck]"));
}

}  // namespace temper::python
