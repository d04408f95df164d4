// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace temper::cli {

/// The file of this program; empty if the system does not say.
std::filesystem::path ownProgram();

}  // namespace temper::cli
