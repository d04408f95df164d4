// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace temper {

/// Files of a folder of pictures that are no pictures of a known format, by how their names end.
class LeftOutFiles {
public:
    void add(const std::filesystem::path& file);

    /// D115, how many were left out and why: a warning if pictures of other formats are among
    /// them. Empty: none was.
    std::vector<Finding> findings(const std::filesystem::path& folder) const;

private:
    std::map<std::string, size_t> count_;
};

}  // namespace temper
