// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "engine/provenance/module_names.h"

namespace temper {

/// The names in the module of a checkpoint's tensors, as the training model in the same folder
/// tells them; none without a training model that can be read.
ModuleNames moduleNamesBeside(const std::filesystem::path& checkpoint);

}  // namespace temper
