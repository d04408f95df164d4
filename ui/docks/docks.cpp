// SPDX-License-Identifier: GPL-3.0-or-later

#include "ui/docks/dock.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/docks/inspector/inspector_dock.h"
#include "ui/docks/jobs/jobs_dock.h"
#include "ui/docks/layers/layers_dock.h"
#include "ui/docks/lesson/lesson_dock.h"
#include "ui/docks/log/log_dock.h"
#include "ui/docks/problems/problems_dock.h"
#include "ui/docks/runs/runs_dock.h"

namespace temper::ui {

std::vector<DockInfo> docks() {
    return {
        inspectorDock(), lessonDock(), problemsDock(), runsDock(),
        jobsDock(),      layersDock(), logDock(),      explainDock(),
    };
}

}  // namespace temper::ui
