// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/ir/graph.h"

namespace temper {

/// Whether a domain is neither ONNX's nor Microsoft's: plugins may add operators to it.
bool isCustomDomain(std::string_view domain);

/// What to do if an operator lacks something: `advice` and, for a custom operator, that a plugin
/// may provide it.
std::string adviceOnMissing(const Node& node, const std::string& advice);

}  // namespace temper
