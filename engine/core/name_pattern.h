// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace temper {

/// Matches "conv*.weight" against a name: `*` is any run of characters, `?` any one.
bool matchesPattern(std::string_view pattern, std::string_view name);

/// Whether the name equals or matches one of the patterns.
bool matchesAny(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace temper
