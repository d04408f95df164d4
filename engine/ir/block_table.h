// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper {

/// An operation and one way in which exporters write it; see BlockPattern.
struct BlockEntry {
    std::string kind;
    std::string pattern;
};

/// All patterns. If several match, the one with the most nodes is taken.
const std::vector<BlockEntry>& blockTable();

}  // namespace temper
