// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

class CommandMenus;

/// Opens models, projects, checkpoints and data: asked for, from the list of recent files, dropped.
class OpenActions : public ActionGroup {
    Q_OBJECT
public:
    OpenActions(const WindowContext& context, CommandMenus& menus);

    /// A model, a specification, a checkpoint or data: told from name and content.
    void open(const QString& path);
    void openLesson(const QString& name);
    void askOpen();
    /// What reopen() shows again: the project's folder, or its model; empty if nothing is open.
    QString openedPath() const;
    void reopen(const QString& openedPath);

private:
    void openData(const QString& path);
    void openCheckpoint(const QString& path);
};

}  // namespace temper::ui
