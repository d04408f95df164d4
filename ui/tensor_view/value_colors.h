// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include "ui/theme/colors.h"

namespace temper::ui {

/// Blue for positive, orange for negative numbers, the stronger the larger; the background for
/// zero; the error colour for NaN. `largest`: the magnitude with the full colour.
QRgb valueColor(double value, double largest, const Colors& colors);

}  // namespace temper::ui
