// SPDX-License-Identifier: Apache-2.0
#include "engine/core/process_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

size_t pageSize() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

/// The number in the file; none where it says "max" or is not there.
size_t limitIn(const fs::path& file) {
    std::ifstream text(file);
    size_t limit = kNoLimit;
    return text >> limit ? limit : kNoLimit;
}

/// The least limit of a group and those around it.
size_t limitOfGroup(const fs::path& root, fs::path group, const char* file) {
    size_t limit = limitIn(root / file);
    for (; group.has_relative_path(); group = group.parent_path())
        limit = std::min(limit, limitIn(root / group.relative_path() / file));
    return limit;
}

/// Lines "number:controllers:path". Source: cgroups(7).
size_t limitOfGroups() {
    size_t limit = kNoLimit;
    std::ifstream file("/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const fs::path group = line.substr(second + 1);
        if (controllers.empty())
            limit = std::min(limit, limitOfGroup("/sys/fs/cgroup", group, "memory.max"));
        if (controllers == "memory") {
            limit = std::min(limit,
                             limitOfGroup("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
        }
    }
    return limit;
}

size_t addressLimit() {
    rlimit limit = {};
    const bool isLimited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return isLimited ? static_cast<size_t>(limit.rlim_cur) : kNoLimit;
}

}  // namespace

/// The second number of statm. Source: proc(5).
size_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    size_t pages = 0, resident = 0;
    if (!(file >> pages >> resident)) return 0;
    return resident * pageSize();
}

size_t memoryLimit() {
    const size_t machine = static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) * pageSize();
    return std::min({machine, limitOfGroups(), addressLimit()});
}

}  // namespace temper
