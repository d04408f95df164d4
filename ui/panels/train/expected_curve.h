// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/run/curve.h"

namespace temper::ui {

class StudioProject;

/// The expected loss of a run of the open lesson; empty if the project is not a lesson or its
/// choices differ from the lesson's.
Curve expectedCurveOf(const StudioProject& project);

}  // namespace temper::ui
