// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/cpu/processor_name.h"

#include <fstream>

namespace temper {

std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return {};
}

}  // namespace temper
