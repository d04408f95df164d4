// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_scope.h"

#include <utility>

#include "ui/document/studio_project.h"
#include "ui/run/run_history.h"

namespace temper::ui {

RunScope::RunScope(RunHistory& history, const StudioProject& project, QWidget* parent)
    : QComboBox(parent), history_(history), project_(project) {
    setObjectName(QStringLiteral("runScope"));
    setAccessibleName(tr("Whose runs are shown"));
    addItems({tr("This project"), tr("All projects")});
    connect(this, &QComboBox::currentIndexChanged, &history_,
            [this](int index) { history_.setReadsOtherProjects(index == 1); });
}

bool RunScope::showsOnlyOwn() const { return currentIndex() == 0 && project_.model() != nullptr; }

bool RunScope::shows(int64_t run) const {
    return !showsOnlyOwn() || history_.documentOf(run).isEmpty();
}

std::map<int64_t, QString> RunScope::projectNames() const {
    std::map<int64_t, QString> names;
    for (const StoredRun& run : *history_.runs())
        if (QString name = history_.documentOf(run.id); !name.isEmpty())
            names.emplace(run.id, std::move(name));
    return names;
}

}  // namespace temper::ui
