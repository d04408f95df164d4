// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/architecture/source_tree.h"

namespace temper::test {

/// The layer that owns a path, e.g. "engine/ir"; empty if none does.
std::string layerOf(const std::string& path);

/// Why a file may not contain this include, one sentence for each rule it breaks: the table of
/// layers in docs/architecture.md, the suffixes of operator files, the homes of third-party
/// libraries.
std::vector<std::string> violations(const std::string& path, const Include& include);

}  // namespace temper::test
