// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "engine/ir/graph.h"

namespace temper {

/// Whether a domain is neither ONNX's nor Microsoft's: plugins may add operators to it.
bool isCustomDomain(std::string_view domain);

/// What to do about an operator of which something is missing: `advice`, and where it is a custom
/// one, that a plugin may bring it.
std::string adviceOnMissing(const Node& node, const std::string& advice);

}  // namespace temper
