// SPDX-License-Identifier: GPL-3.0-or-later

#include "ui/docks/dock.h"
#include "ui/docks/explain/explain_dock.h"
#include "ui/docks/jobs/jobs_dock.h"
#include "ui/docks/layers/layers_dock.h"
#include "ui/docks/lesson/lesson_dock.h"
#include "ui/docks/log/log_dock.h"
#include "ui/docks/problems/problems_dock.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/panels/model/detail_view.h"
#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

template <typename D>
QWidget* create(const PanelContext& context, QWidget* parent) {
    return new D(context, parent);
}

/// The pages show their selection in it, so it is created before them.
QWidget* inspector(const PanelContext& context, QWidget*) { return &context.inspector; }

/// Every page but the start page.
QStringList pagesOfPanels() {
    QStringList pages;
    for (const PanelInfo& panel : panels()) pages << panel.id;
    return pages;
}

}  // namespace

std::vector<DockInfo> docks() {
    const QStringList everywhere;
    const QString noTerm;
    const QList<LayoutPreset> noLayout;
    constexpr bool teaches = true;
    return {
        {"inspector",
         tr("Inspector"),
         "search",
         Qt::RightDockWidgetArea,
         QKeySequence("Ctrl+Shift+I"),
         {"model"},
         inspector,
         "operator",
         {LayoutPreset::Inspect}},
        {"lesson",
         tr("Lesson"),
         "lesson",
         Qt::RightDockWidgetArea,
         QKeySequence("Ctrl+Shift+J"),
         pagesOfPanels(),
         create<LessonDock>,
         noTerm,
         {LayoutPreset::Teach},
         teaches},
        {"problems",
         tr("Problems"),
         "warning",
         Qt::BottomDockWidgetArea,
         QKeySequence("Ctrl+Shift+M"),
         everywhere,
         create<ProblemsDock>,
         "gradient-graph",
         {LayoutPreset::Inspect}},
        {"runs",
         tr("Runs"),
         "chart",
         Qt::BottomDockWidgetArea,
         QKeySequence("Ctrl+Shift+U"),
         everywhere,
         create<RunsDock>,
         "run",
         {LayoutPreset::Train}},
        {"jobs", tr("Jobs"), "jobs", Qt::BottomDockWidgetArea, QKeySequence("Ctrl+Shift+B"),
         everywhere, create<JobsDock>, "run"},
        {"layers",
         tr("Layers"),
         "layers",
         Qt::BottomDockWidgetArea,
         QKeySequence("Ctrl+Shift+H"),
         {"model", "parameters", "train"},
         create<LayersDock>,
         "update-ratio",
         {LayoutPreset::Train}},
        {"log",
         tr("Log"),
         "table",
         Qt::BottomDockWidgetArea,
         QKeySequence("Ctrl+Shift+L"),
         everywhere,
         create<LogDock>,
         "run",
         {LayoutPreset::Train}},
        {"explain", tr("Explain"), "help", Qt::RightDockWidgetArea, QKeySequence("Ctrl+Shift+Y"),
         everywhere, create<ExplainDock>, noTerm, noLayout, teaches},
    };
}

}  // namespace temper::ui
