// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

#include "engine/core/error.h"

namespace temper::ui {

/// The mark of a severity, in the theme's colour for it: each also has its own shape.
QIcon severityIcon(Severity severity);

}  // namespace temper::ui
