// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/run/curve.h"

namespace temper::ui {

class StudioProject;

/// The loss that a run of the lesson that is open is to give; empty where the project is no lesson
/// or its choices are others than the lesson's.
Curve expectedCurveOf(const StudioProject& project);

}  // namespace temper::ui
