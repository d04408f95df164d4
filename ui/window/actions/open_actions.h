// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

class CommandMenus;

/// Opens models, projects, checkpoints and data: chosen in a dialog, from the list of recent files,
/// or dropped.
class OpenActions : public ActionGroup {
    Q_OBJECT
public:
    OpenActions(const WindowContext& context, CommandMenus& menus);

    /// Opens a model, a specification, a checkpoint or data, detected by name and content.
    void open(const QString& path);
    /// Opens several: a model first, the others as soon as it is open.
    void openAll(const QStringList& paths);
    void openLesson(const QString& name);
    void askOpen();
    /// The path that reopen() opens again: the project's folder, or its model; empty if nothing is
    /// open.
    QString openedPath() const;
    void reopen(const QString& openedPath);

private:
    void openData(const QString& path);
    void openCheckpoint(const QString& path);
};

}  // namespace temper::ui
