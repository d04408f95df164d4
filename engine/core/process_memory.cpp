// SPDX-License-Identifier: Apache-2.0
#include "engine/core/process_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "engine/core/error.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

size_t pageSize() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

/// The number in the file; no limit if it says "max" or does not exist.
size_t limitIn(const fs::path& file) {
    std::ifstream text(file);
    size_t limit = kNoLimit;
    return text >> limit ? limit : kNoLimit;
}

/// The least limit of a group and its parents.
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

/// The limits of `ulimit`: -v, -d, -m.
size_t grantedBytes() {
    size_t limit = kNoLimit;
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA, RLIMIT_RSS}) {
        rlimit granted = {};
        if (::getrlimit(resource, &granted) == 0 && granted.rlim_cur != RLIM_INFINITY)
            limit = std::min(limit, static_cast<size_t>(granted.rlim_cur));
    }
    return limit;
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
    static const size_t machine =
        std::min(static_cast<size_t>(::sysconf(_SC_PHYS_PAGES)) * pageSize(), limitOfGroups());
    return std::min(machine, grantedBytes());
}

void requireMemory(const std::string& what, double bytes) {
    constexpr double kNeverTooMuch = 1 << 20;  // most calls end here
    if (bytes <= kNeverTooMuch) return;
    const auto limit = static_cast<double>(memoryLimit());
    if (bytes <= limit) return;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, " needs %.4g bytes; this process can use %.4g.", bytes,
                  limit);
    throw Error(ErrorCode::InvalidInput, what + numbers,
                "Check the sizes in the model, or use a machine with more memory.");
}

}  // namespace temper
