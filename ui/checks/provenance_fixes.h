// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "ui/checks/problem_list.h"

namespace temper::ui {

/// What the window can do about the exporter's changes to parameters, for findings S001 to S005 and
/// W004: the choices of --tie, --untie, --part, --keep-merged and --restore-norm.
std::vector<ProblemFix> provenanceFixesOf(const Finding& finding, StudioProject& project);

}  // namespace temper::ui
