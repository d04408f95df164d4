// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "engine/training/ort_classic/gradient_graph_builder.h"
#include "python/src/interpreter.h"
#include "python/src/model.h"

namespace temper::python {

void bindGradientGraph(nb::module_& module) {
    using Released = nb::call_guard<LockReleased>;
    nb::class_<GradientGraphBuilder>(module, "GradientGraph",
                                     "Extends a model to compute gradients, too.")
        .def(
            "__init__",
            [](GradientGraphBuilder* self, const Model& model, std::vector<std::string> outputs,
               std::vector<std::string> inputs, const std::string& loss) {
                new (self) GradientGraphBuilder(
                    *model.graph, {std::move(outputs), std::move(inputs), loss}, sharedOps());
            },
            nb::arg("model"), nb::arg("outputs"), nb::arg("inputs"), nb::arg("loss"), Released())
        .def("build", &GradientGraphBuilder::build, Released())
        .def("model", [](const GradientGraphBuilder& self) {
            return Model{self.model().clone(), "(gradient model)", {}};
        });
}

}  // namespace temper::python
