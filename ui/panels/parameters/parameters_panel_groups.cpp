// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/commands/command_registry.h"
#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/panels/objective/group_moves.h"
#include "ui/panels/objective/groups_editor.h"
#include "ui/panels/parameters/parameter_filter.h"
#include "ui/panels/parameters/parameter_model.h"
#include "ui/panels/parameters/parameters_panel.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {

QWidget* ParametersPanel::buildGroups() {
    QFrame* card = makeCard(this);
    groups_ = explain(new GroupsEditor(project_, card), "group");
    groups_->takeParameters();
    cardLayout(card)->addWidget(groups_);
    table_->setDragEnabled(true);
    table_->setDragDropMode(QAbstractItemView::DragOnly);
    table_->setColumnHidden(ParameterModel::Group, true);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(table_, &QTableView::customContextMenuRequested, this, &ParametersPanel::showMenu);
    return card;
}

void ParametersPanel::buildGroupAction(CommandRegistry& commands) {
    moveToGroup_ = new QAction(tr("Move parameters to group…"), this);
    moveToGroup_->setShortcut(QKeySequence(QStringLiteral("Ctrl+Shift+G")));
    moveToGroup_->setEnabled(false);
    addAction(moveToGroup_);
    commands.add(QStringLiteral("parameters.moveToGroup"), MenuId::Model, moveToGroup_);
    connect(moveToGroup_, &QAction::triggered, this, &ParametersPanel::showMoveMenu);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ParametersPanel::refreshGroupAction);
}

void ParametersPanel::refreshGroupAction() {
    moveToGroup_->setEnabled(isVisible() && !selected().empty());
}

void ParametersPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshGroupAction();
}

/// Shortcuts of a page that is not shown would surprise.
void ParametersPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    moveToGroup_->setEnabled(false);
}

/// The column is there where groups are.
void ParametersPanel::refreshGroups() {
    groups_->refresh();
    const auto& groups = project_.spec().artifacts.parameterGroups;
    model_->setGroups(groups);
    table_->setColumnHidden(ParameterModel::Group, groups.empty());
    if (groups.empty()) return;
    table_->resizeColumnToContents(ParameterModel::Group);
    const int width = table_->columnWidth(ParameterModel::Group) + em(this, 1.4);
    table_->setColumnWidth(ParameterModel::Group, std::min(width, em(this, 14)));
}

std::set<std::string> ParametersPanel::selected() const {
    std::set<std::string> names;
    for (const QModelIndex& index : table_->selectionModel()->selectedIndexes()) {
        const int row = proxy_->mapToSource(index).row();
        if (model_->canTrain(row)) names.insert(model_->nameOf(row));
    }
    return names;
}

std::unique_ptr<QMenu> ParametersPanel::makeMoveMenu() {
    return makeGroupMenu(
        project_, selected(), [this](const ParameterMove& move) { groups_->move(move, true); },
        this);
}

/// What can be done with the selected parameters.
void ParametersPanel::showMenu(const QPoint& at) {
    if (selected().empty()) return;
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("parameterMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu->addAction(tr("Train")), &QAction::triggered, this,
            [this] { trainRows(true, true); });
    connect(menu->addAction(tr("Freeze")), &QAction::triggered, this,
            [this] { trainRows(false, true); });
    menu->addSeparator();
    QMenu* groups = makeMoveMenu().release();
    groups->setParent(menu, groups->windowFlags());
    menu->addMenu(groups);
    menu->popup(table_->viewport()->mapToGlobal(at));
}

/// At the current row, as the keyboard has no place of its own.
void ParametersPanel::showMoveMenu() {
    QMenu* menu = makeMoveMenu().release();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QRect row = table_->visualRect(table_->currentIndex());
    menu->popup(table_->viewport()->mapToGlobal(row.isValid() ? row.bottomLeft() : QPoint()));
    menu->setActiveAction(menu->actions().constFirst());
}

}  // namespace temper::ui
