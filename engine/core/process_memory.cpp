// SPDX-License-Identifier: Apache-2.0
#include "engine/core/process_memory.h"

#include <unistd.h>

#include <fstream>

namespace temper {

/// The second number of statm. Source: proc(5).
size_t residentBytes() {
    std::ifstream file("/proc/self/statm");
    size_t pages = 0, resident = 0;
    if (!(file >> pages >> resident)) return 0;
    return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace temper
