// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <set>
#include <string>

#include "engine/training/parameters/group_membership.h"

class QAction;
class QMenu;
class QPoint;
class QTableView;
class QWidget;

namespace temper::ui {

class CommandRegistry;
class ParameterFilter;
class ParameterModel;
class StudioProject;

/// Actions for the parameters selected in the table: its menu, and a command that moves them to a
/// group.
class SelectedParameters : public QObject {
    Q_OBJECT
public:
    /// `table` shows `filter`, which shows `model`. The command's keys work while `page` is shown.
    SelectedParameters(const StudioProject& project, const ParameterModel& model,
                       const ParameterFilter& filter, QTableView* table, QWidget* page);

    void addCommand(CommandRegistry& commands);

signals:
    /// Requests that the selected parameters train, or are frozen.
    void trainRequested(bool train);
    void moveRequested(const temper::ParameterMove& move);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Names of the selected rows that can train.
    std::set<std::string> names() const;
    void refreshCommand();
    void showMenu(const QPoint& at);
    std::unique_ptr<QMenu> makeMoveMenu();
    void showMoveMenu();

    const StudioProject& project_;
    const ParameterModel& model_;
    const ParameterFilter& filter_;
    QTableView* table_;
    QWidget* page_;
    QAction* moveToGroup_;
};

}  // namespace temper::ui
