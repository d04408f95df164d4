// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ui/run/curve.h"

namespace temper::ui {

/// A table with one row per x that any curve has, an empty field where a curve has no point.
/// `columns`: header and curve.
std::string curvesToCsv(const std::string& xHeader,
                        const std::vector<std::pair<std::string, const Curve*>>& columns);

}  // namespace temper::ui
