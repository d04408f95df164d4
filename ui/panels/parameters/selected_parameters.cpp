// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/parameters/selected_parameters.h"

#include <QAction>
#include <QEvent>
#include <QMenu>
#include <QTableView>

#include "ui/commands/command_registry.h"
#include "ui/panels/objective/group_moves.h"
#include "ui/panels/parameters/parameter_filter.h"
#include "ui/panels/parameters/parameter_model.h"

namespace temper::ui {

SelectedParameters::SelectedParameters(const StudioProject& project, const ParameterModel& model,
                                       const ParameterFilter& filter, QTableView* table,
                                       QWidget* page)
    : QObject(page),
      project_(project),
      model_(model),
      filter_(filter),
      table_(table),
      page_(page),
      moveToGroup_(new QAction(tr("Move parameters to group…"), this)) {
    moveToGroup_->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+G")));
    moveToGroup_->setEnabled(false);
    page_->addAction(moveToGroup_);
    page_->installEventFilter(this);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table_, &QTableView::customContextMenuRequested, this, &SelectedParameters::showMenu);
    connect(moveToGroup_, &QAction::triggered, this, &SelectedParameters::showMoveMenu);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SelectedParameters::refreshCommand);
}

void SelectedParameters::addCommand(CommandRegistry& commands) {
    commands.add(QStringLiteral("parameters.moveToGroup"), MenuId::Model, moveToGroup_);
}

/// Shortcuts of a hidden page would be surprising.
bool SelectedParameters::eventFilter(QObject* watched, QEvent* event) {
    if (watched == page_ && event->type() == QEvent::Show) refreshCommand();
    if (watched == page_ && event->type() == QEvent::Hide) moveToGroup_->setEnabled(false);
    return QObject::eventFilter(watched, event);
}

void SelectedParameters::refreshCommand() {
    moveToGroup_->setEnabled(page_->isVisible() && !names().empty());
}

std::set<std::string> SelectedParameters::names() const {
    std::set<std::string> names;
    for (const QModelIndex& index : table_->selectionModel()->selectedIndexes()) {
        const int row = filter_.mapToSource(index).row();
        if (model_.canTrain(row)) names.insert(model_.nameOf(row));
    }
    return names;
}

std::unique_ptr<QMenu> SelectedParameters::makeMoveMenu() {
    return makeGroupMenu(
        project_, names(), [this](const ParameterMove& move) { emit moveRequested(move); }, page_);
}

void SelectedParameters::showMenu(const QPoint& at) {
    if (names().empty()) return;
    auto* menu = new QMenu(page_);
    menu->setObjectName(QStringLiteral("parameterMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu->addAction(tr("Train")), &QAction::triggered, this,
            [this] { emit trainRequested(true); });
    connect(menu->addAction(tr("Freeze")), &QAction::triggered, this,
            [this] { emit trainRequested(false); });
    menu->addSeparator();
    QMenu* groups = makeMoveMenu().release();
    groups->setParent(menu, groups->windowFlags());
    menu->addMenu(groups);
    menu->popup(table_->viewport()->mapToGlobal(at));
}

/// Opens at the current row, as the keyboard has no position.
void SelectedParameters::showMoveMenu() {
    QMenu* menu = makeMoveMenu().release();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QRect row = table_->visualRect(table_->currentIndex());
    menu->popup(table_->viewport()->mapToGlobal(row.isValid() ? row.bottomLeft() : QPoint()));
    menu->setActiveAction(menu->actions().constFirst());
}

}  // namespace temper::ui
