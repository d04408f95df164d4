// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "ui/run/run_sources.h"

namespace temper::ui {

/// Colour and pattern of a run's curves, as PlotView::addSeries() takes them: the same wherever and
/// with whatever other runs it is shown, also in another project. Colours and dash patterns repeat
/// after different numbers of runs, so that 24 successive runs of a project look different.
inline int runSign(int64_t id) {
    constexpr int64_t kSigns = 24;
    return static_cast<int>((RunSources::numberInProject(id) + kSigns - 1) % kSigns);
}

}  // namespace temper::ui
