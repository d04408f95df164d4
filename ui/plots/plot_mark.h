// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

enum class MarkSymbol { Triangle, Square, Diamond, Bars, Star };

/// An event at an x.
struct PlotMark {
    double x = 0;
    QString text;
    MarkSymbol symbol = MarkSymbol::Triangle;
};

}  // namespace temper::ui
