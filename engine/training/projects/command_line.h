// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "engine/training/spec/training_spec.h"

namespace temper {

/// The shell command that trains the same: "temper train PROJECT" if `project` is a project folder.
/// Otherwise it makes the artifacts and trains them, with a flag for each choice that differs from
/// its default: "temper artifacts ... && temper train ...".
std::string commandLineOf(const TrainingSpec& spec, const std::filesystem::path& project);

}  // namespace temper
