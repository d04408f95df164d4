// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_folders.h"

#include <QDropEvent>
#include <QHeaderView>
#include <algorithm>
#include <utility>

#include "ui/docks/runs/run_folder_model.h"
#include "ui/messages/problem.h"
#include "ui/run/run_history.h"
#include "ui/theme/theme.h"

namespace temper::ui {

RunFolders::RunFolders(RunHistory& history, QWidget* parent)
    : QTreeView(parent), history_(history), model_(new RunFolderModel(this)) {
    setObjectName(QStringLiteral("runFolders"));
    setAccessibleName(tr("Folders of runs"));
    setModel(model_);
    setHeaderHidden(true);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(0, QHeaderView::Stretch);
    header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    setMinimumWidth(em(this, 8));
    setEditTriggers(DoubleClicked | EditKeyPressed);
    setExpandsOnDoubleClick(false);
    setDragDropMode(DropOnly);
    hide();
    connect(model_, &RunFolderModel::renamed, this, &RunFolders::rename);
    connect(model_, &RunFolderModel::dropped, this, &RunFolders::put);
    connect(selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                if (isShowing_ || !current.isValid()) return;
                wanted_.reset();
                become(RunFolderModel::pathOf(current));
            });
}

/// Wide enough for names of moderate length.
QSize RunFolders::sizeHint() const { return {em(this, 11), QTreeView::sizeHint().height()}; }

void RunFolders::show(const RunTable& runs) {
    isShowing_ = true;
    if (model_->show(runs)) expandAll();
    setVisible(!model_->folders().empty());
    isShowing_ = false;
    showChosen();
}

/// If the folder is gone, all runs are shown.
void RunFolders::showChosen() {
    auto next = chosen_;
    if (wanted_ && model_->indexOf(wanted_).isValid()) next = std::exchange(wanted_, std::nullopt);
    if (!model_->indexOf(next).isValid()) {
        // It may reappear if the project's runs are still being read.
        if (!wanted_ && next && (!next->isEmpty() || model_->isEmpty())) wanted_ = next;
        next.reset();
    }
    isShowing_ = true;
    setCurrentIndex(model_->indexOf(next));
    isShowing_ = false;
    become(next);
    if (!named_) return;
    const QModelIndex named = model_->indexOf(named_);
    if (!named.isValid()) return;
    named_.reset();
    scrollTo(named);
    edit(named);
}

void RunFolders::become(const std::optional<QString>& folder) {
    if (folder == chosen_) return;
    chosen_ = folder;
    emit chosenChanged();
}

void RunFolders::choose(const std::optional<QString>& folder) {
    wanted_ = folder;
    if (!folder) become(std::nullopt);
    showChosen();
}

void RunFolders::putIntoNew(const std::vector<int64_t>& runs) {
    named_ = newName();
    put(runs, *named_);
}

/// "Folder 2", within the chosen folder: one without runs, including those in the trash.
QString RunFolders::newName() const {
    const QString within = chosen_.value_or(QString());
    for (int number = 1;; ++number) {
        const QString name = tr("Folder %1").arg(number);
        const QString path = within.isEmpty() ? name : within + '/' + name;
        const auto isThere = [&](const StoredRun& run) { return contains(path, run); };
        if (std::ranges::none_of(*history_.runs(), isThere)) return path;
    }
}

void RunFolders::dragEnterEvent(QDragEnterEvent* event) {
    if (event->source() != nullptr) QTreeView::dragEnterEvent(event);
}

void RunFolders::dragMoveEvent(QDragMoveEvent* event) {
    if (event->source() != nullptr) QTreeView::dragMoveEvent(event);
}

void RunFolders::dropEvent(QDropEvent* event) {
    if (event->source() != nullptr) QTreeView::dropEvent(event);
}

void RunFolders::put(const std::vector<int64_t>& runs, const QString& folder) {
    history_.edit(tr("Move runs to another folder"), runs,
                  [&](StoredRun& run) { run.group = folder.toStdString(); });
}

bool RunFolders::contains(const QString& folder, const StoredRun& run) const {
    return isInFolder(text(run.group), folder) && (!isShown_ || isShown_(run.id));
}

/// Renames the folder with everything in it.
void RunFolders::rename(const QString& from, const QString& to) {
    std::vector<int64_t> runs;
    for (const StoredRun& run : *history_.runs())
        if (contains(from, run)) runs.push_back(run.id);
    if (chosen_ && isInFolder(*chosen_, from)) wanted_ = to + chosen_->mid(from.size());
    history_.edit(tr("Rename folder of runs"), runs, [&](StoredRun& run) {
        run.group = (to + cleanFolder(text(run.group)).mid(from.size())).toStdString();
    });
}

}  // namespace temper::ui
