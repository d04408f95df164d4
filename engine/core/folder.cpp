// SPDX-License-Identifier: Apache-2.0
#include "engine/core/folder.h"

namespace temper {

std::vector<std::filesystem::directory_entry> entriesOf(const std::filesystem::path& folder,
                                                        size_t most) {
    std::vector<std::filesystem::directory_entry> entries;
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (entries.size() >= most) break;
        entries.push_back(*entry);
    }
    return entries;
}

}  // namespace temper
