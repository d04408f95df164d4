// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_cursor.h"

namespace temper::ui {

void PlotCursor::setX(std::optional<double> x) {
    if (x == x_) return;
    x_ = x;
    emit moved();
}

}  // namespace temper::ui
