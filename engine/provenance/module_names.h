// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// The parameters of the exported module that tensors hold, by the name of the tensor, if it
/// differs from theirs.
using ModuleNames = std::map<std::string, std::vector<std::string>>;

/// Those of one tensor; none if it has its name in the module.
inline std::vector<std::string> moduleNamesOf(const ModuleNames& names, const std::string& tensor) {
    const auto found = names.find(tensor);
    return found == names.end() ? std::vector<std::string>{} : found->second;
}

/// Those of a model's initializers and inputs (in training models, parameters are inputs),
/// according to the exporter's metadata.
ModuleNames moduleNamesIn(const Graph& model);

}  // namespace temper
