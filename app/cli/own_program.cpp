// SPDX-License-Identifier: Apache-2.0
#include "app/cli/own_program.h"

namespace temper::cli {

std::filesystem::path ownProgram() {
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/exe", unknown);
}

}  // namespace temper::cli
