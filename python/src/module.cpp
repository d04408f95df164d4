// SPDX-License-Identifier: Apache-2.0
#include "python/src/bindings.h"

namespace temper::python {

std::shared_ptr<const OpSet> sharedOps() {
    static const auto kOps = std::make_shared<const OpSet>(standardOps());
    return kOps;
}

}  // namespace temper::python

NB_MODULE(_temper, module) {
    using namespace temper::python;
    namespace nb = nanobind;
    module.doc() = "The engine of Temper. Use the package temper, which is made of it.";
    module.attr("version") = TEMPER_VERSION;
    nb::set_leak_warnings(false);  // nothing is printed, even if a program ends in disorder
    bindErrors(module);
    bindDescriptions(module);
    bindChoices(module);
    bindModel(module);
    bindCheckpoint(module);
    bindCheckpointDiff(module);
    bindArtifacts(module);
    bindBlockModels(module);
    bindGradientGraph(module);
    bindSession(module);
    bindGradientCheck(module);
    bindRunSettings(module);
    bindFit(module);
    bindOptimizer(module);
    bindRunner(module);
}
