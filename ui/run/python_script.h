// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>

#include "engine/training/spec/training_spec.h"

namespace temper::ui {

/// A Python program that trains the same as commandLineOf() with the program `temper`, reads the
/// run's log and provides the losses and metrics as lists for further use in Python. It needs only
/// Python's standard library; `title` is in its first line.
QString pythonScriptOf(const TrainingSpec& spec, const std::filesystem::path& project,
                       const QString& title);

}  // namespace temper::ui
