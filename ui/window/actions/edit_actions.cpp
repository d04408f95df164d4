// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/edit_actions.h"

#include <QAction>

#include "ui/theme/icons.h"
#include "ui/window/workspace.h"

namespace temper::ui {

EditActions::EditActions(const WindowContext& context) : ActionGroup(context) {
    QUndoStack* stack = context_.work.project.undoStack();
    QAction* undo = stack->createUndoAction(this, tr("Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(themedIcon(QStringLiteral("undo")));
    QAction* redo = stack->createRedoAction(this, tr("Redo"));
    redo->setShortcuts({QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")});
    redo->setIcon(themedIcon(QStringLiteral("redo")));
    add(QStringLiteral("edit.undo"), MenuId::Edit, undo);
    add(QStringLiteral("edit.redo"), MenuId::Edit, redo);
}

}  // namespace temper::ui
