// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace temper {

/// Files in a folder of pictures that are not pictures of a known format, by file name extension.
class LeftOutFiles {
public:
    void add(const std::filesystem::path& file);

    /// D115, how many were left out and why: a warning if pictures of other formats are among them.
    /// Empty if none were.
    std::vector<Finding> findings(const std::filesystem::path& folder) const;

private:
    std::map<std::string, size_t> count_;
};

}  // namespace temper
