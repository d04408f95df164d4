// SPDX-License-Identifier: Apache-2.0
#include "engine/provenance/module_names.h"

#include "engine/provenance/evidence.h"

namespace temper {

ModuleNames moduleNamesIn(const Graph& model) {
    const Evidence evidence(model);
    ModuleNames found;
    for (const auto* values : {&model.initializers(), &model.inputs()}) {
        for (const Value* value : *values) {
            const std::vector<std::string>& names = evidence.parametersIn(*value);
            if (!names.empty() && names != std::vector{value->name()}) found[value->name()] = names;
        }
    }
    return found;
}

}  // namespace temper
