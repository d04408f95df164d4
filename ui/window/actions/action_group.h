// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <vector>

#include "ui/commands/command_registry.h"
#include "ui/window/window_context.h"

class QAction;

namespace temper::ui {

/// Actions of one kind. They register themselves on construction: from then on menus, shortcuts and
/// the palette contain them.
class ActionGroup : public QObject {
    Q_OBJECT
protected:
    explicit ActionGroup(const WindowContext& context);

    /// `icon` may be empty. Returns: the action, which calls `run`.
    QAction* add(const QString& id, MenuId menu, const QString& text, const QString& icon,
                 const QList<QKeySequence>& keys, std::function<void()> run);
    /// A checkable action; the caller handles the checking.
    QAction* addCheckable(const QString& id, MenuId menu, const QString& text, const QString& icon,
                          const QList<QKeySequence>& keys);
    /// Adds an existing action.
    void add(const QString& id, MenuId menu, QAction* action);
    /// Enables the actions only while a model is open.
    void needModel(const std::vector<QAction*>& actions);

    WindowContext context_;
};

}  // namespace temper::ui
