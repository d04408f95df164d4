// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <vector>

namespace temper {

/// The contents of the folder, unordered: its first `most` entries, so that listing a folder takes
/// no longer than that. Unreadable entries are left out; nothing is thrown for them.
std::vector<std::filesystem::directory_entry> entriesOf(
    const std::filesystem::path& folder, size_t most = std::numeric_limits<size_t>::max());

}  // namespace temper
