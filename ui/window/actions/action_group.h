// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "ui/commands/command_registry.h"
#include "ui/window/window_context.h"

class QAction;

namespace temper::ui {

/// Actions of one kind. They register themselves when they are made: menus, shortcuts and the
/// palette have them from then on.
class ActionGroup : public QObject {
    Q_OBJECT
protected:
    explicit ActionGroup(const WindowContext& context);

    /// `icon` may be empty. Returns: the action, which calls `run`.
    QAction* add(const QString& id, MenuId menu, const QString& text, const QString& icon,
                 const QList<QKeySequence>& keys, std::function<void()> run);
    /// Can be checked; what checking it does is up to the caller.
    QAction* addCheckable(const QString& id, MenuId menu, const QString& text, const QString& icon,
                          const QList<QKeySequence>& keys);
    /// For an action that somebody else has made.
    void add(const QString& id, MenuId menu, QAction* action);
    /// They are enabled while a model is open.
    void needModel(const std::vector<QAction*>& actions);

    WindowContext context_;
};

}  // namespace temper::ui
