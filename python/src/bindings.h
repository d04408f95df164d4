// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "engine/ops/op_set.h"

namespace temper::python {

namespace nb = nanobind;

/// Types of arguments and results in stubs.
#define TEMPER_PATH "str | os.PathLike[str]"
#define TEMPER_ARRAY "numpy.typing.NDArray[typing.Any]"
#define TEMPER_ARRAYS "list[numpy.typing.NDArray[typing.Any]]"
#define TEMPER_INPUTS "collections.abc.Sequence[object]"

/// The operators; one set for all objects of the module, which only read it.
std::shared_ptr<const OpSet> sharedOps();
/// Plugins have added operators: objects that are made from now on have them.
void renewSharedOps();

void bindErrors(nb::module_& module);
void bindDescriptions(nb::module_& module);
void bindChoices(nb::module_& module);
void bindModel(nb::module_& module);
void bindCheckpoint(nb::module_& module);
void bindArtifacts(nb::module_& module);
void bindCheckpointDiff(nb::module_& module);
void bindBlockModels(nb::module_& module);
void bindGradientGraph(nb::module_& module);
void bindGradientCheck(nb::module_& module);
void bindArguments(nb::module_& module);
void bindSession(nb::module_& module);
void bindTrainingLoop(nb::module_& module);
void bindRunSettings(nb::module_& module);
void bindFit(nb::module_& module);
void bindOptimizer(nb::module_& module);
void bindPlugins(nb::module_& module);
void bindRunner(nb::module_& module);

}  // namespace temper::python
