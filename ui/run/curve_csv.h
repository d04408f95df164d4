// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ui/run/curve.h"

namespace temper::ui {

/// A table with one row per x of any curve, and an empty field if a curve has no point there.
/// `columns`: header and curve.
std::string curvesToCsv(const std::string& xHeader,
                        const std::vector<std::pair<std::string, const Curve*>>& columns);

}  // namespace temper::ui
