// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>

#include "ui/theme/colors.h"

namespace temper::ui {

/// Blue for positive, orange for negative numbers, the stronger the larger; the ground for zero;
/// the colour of errors for NaN. `largest` is the magnitude that takes the full colour.
QRgb valueColor(double value, double largest, const Colors& colors);

}  // namespace temper::ui
