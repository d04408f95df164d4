// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// Names of parameters are paths in the exported module: "layers.0.norm.weight".

/// "weight"
std::string_view lastPart(std::string_view parameter);

/// "layers.0.norm"; empty for parameters of the whole program.
std::string moduleIn(std::string_view parameter);

/// Whether a line of its module's program names it: "self.weight", as a whole word.
bool mentions(std::string_view code, std::string_view parameter);

/// The length of the common part of two paths, in whole names.
size_t lengthOfCommonPath(std::string_view a, std::string_view b);

/// Of the candidates with the same last part, the one that is nearest to a module, and nearer than
/// the parameter itself; nothing if several are.
std::optional<std::string> namesakeNear(std::string_view module, const std::string& parameter,
                                        const std::vector<std::string>& candidates);

}  // namespace temper
