// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <vector>

namespace temper {

/// What lies in the folder, in no order: its first `most` entries, so that looking into a folder
/// takes no longer than that. What can't be read is left out; nothing is thrown for it.
std::vector<std::filesystem::directory_entry> entriesOf(
    const std::filesystem::path& folder, size_t most = std::numeric_limits<size_t>::max());

}  // namespace temper
