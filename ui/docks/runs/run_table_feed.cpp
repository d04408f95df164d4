// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_table_feed.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/run/run_history.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

RunTableFeed::RunTableFeed(StudioProject& project, RunHistory& history, QObject* parent)
    : QObject(parent), project_(project), history_(history) {}

void RunTableFeed::setViews(std::vector<const QAbstractItemView*> views) {
    views_ = std::move(views);
}

void RunTableFeed::request(const RunTableChoice& choice) {
    pending_.reset();
    project_.tasks()->cancel(task_);
    task_ = project_.tasks()->run(
        tr("Preparing the table of runs"), tr("The runs can't be shown"),
        [runs = history_.runs(), choice](std::stop_token) { return makeRunTable(runs, choice); },
        [this](std::shared_ptr<const RunTable> table) {
            task_ = 0;
            receive(std::move(table));
        },
        [this](const Problem& problem) { emit history_.failed(problem); });
}

/// The table of another project does not wait: the run that is edited is not shown any more.
void RunTableFeed::receive(std::shared_ptr<const RunTable> table) {
    const QWidget* editor = openEditor();
    const int before = std::exchange(generation_, project_.generation());
    if (editor == nullptr || before != generation_) return emit ready(std::move(table));
    pending_ = std::move(table);
    connect(editor, &QObject::destroyed, this, &RunTableFeed::receivePending,
            static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::UniqueConnection));
}

void RunTableFeed::receivePending() {
    if (pending_) receive(std::exchange(pending_, nullptr));
}

/// Null if nothing is edited.
QWidget* RunTableFeed::openEditor() const {
    for (const QAbstractItemView* view : views_)
        if (auto* editor = view->viewport()->findChild<QLineEdit*>()) return editor;
    return nullptr;
}

}  // namespace temper::ui
