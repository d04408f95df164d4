// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/provenance/module_names.h"

namespace temper {

/// The module names of a checkpoint's tensors, read from the training model in the same folder;
/// none without a readable training model.
ModuleNames moduleNamesBeside(const std::filesystem::path& checkpoint);

}  // namespace temper
