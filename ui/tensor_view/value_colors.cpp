// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tensor_view/value_colors.h"

#include <algorithm>
#include <cmath>

namespace temper::ui {

QRgb valueColor(double value, double largest, const Colors& colors) {
    if (std::isnan(value)) return colors.bad.rgb();
    const double part = largest > 0 ? std::clamp(std::abs(value) / largest, 0.0, 1.0) : 0;
    return blend(colors.surface, value < 0 ? colors.series[1] : colors.series[0], part).rgb();
}

}  // namespace temper::ui
