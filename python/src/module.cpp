// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "python/src/bindings.h"
#include "python/src/interpreter.h"

namespace temper::python {

namespace {

std::mutex commonOpsMutex;
std::shared_ptr<const OpSet> commonOps;  ///< null until somebody needs them

}  // namespace

std::shared_ptr<const OpSet> sharedOps() {
    const std::lock_guard lock(commonOpsMutex);
    if (!commonOps) commonOps = std::make_shared<const OpSet>(standardOps());
    return commonOps;
}

void renewSharedOps() {
    const std::lock_guard lock(commonOpsMutex);
    commonOps.reset();
}

}  // namespace temper::python

NB_MODULE(_temper, module) {
    using namespace temper::python;
    namespace nb = nanobind;
    module.doc() = "The engine of Temper. Use the package temper, which is made of it.";
    module.attr("version") = TEMPER_VERSION;
    nb::set_leak_warnings(false);  // nothing is printed, even if a program ends in disorder
    watchEndOfInterpreter();
    bindErrors(module);
    bindDescriptions(module);
    bindChoices(module);
    bindModel(module);
    bindCheckpoint(module);
    bindCheckpointDiff(module);
    bindArtifacts(module);
    bindBlockModels(module);
    bindGradientGraph(module);
    bindArguments(module);
    bindSession(module);
    bindTrainingLoop(module);
    bindGradientCheck(module);
    bindRunSettings(module);
    bindFit(module);
    bindOptimizer(module);
    bindPlugins(module);
    bindRunner(module);
}
