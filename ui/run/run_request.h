// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/run/run_controller.h"

namespace temper::ui {

class StudioProject;

/// The run described by a project. Its artifacts must exist.
RunRequest makeRunRequest(const StudioProject& project, bool startOver);

}  // namespace temper::ui
