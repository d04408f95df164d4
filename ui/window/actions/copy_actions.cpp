// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/copy_actions.h"

#include "engine/training/projects/command_line.h"
#include "ui/run/python_script.h"
#include "ui/window/messages.h"
#include "ui/window/workspace.h"

namespace temper::ui {

CopyActions::CopyActions(const WindowContext& context) : ActionGroup(context) {
    needModel({add(QStringLiteral("file.copyCommand"), MenuId::File, tr("Copy as command"), {},
                   {QKeySequence("Ctrl+Shift+C")}, [this] { copyCommand(); }),
               add(QStringLiteral("file.copyScript"), MenuId::File, tr("Copy as Python script"), {},
                   {}, [this] { copyScript(); })});
}

void CopyActions::copyCommand() {
    if (canBeRepeated())
        copyText(text(commandLineOf(context_.work.project.spec(), place())),
                 tr("The command is on the clipboard."), context_.messages);
}

void CopyActions::copyScript() {
    const StudioProject& project = context_.work.project;
    if (canBeRepeated())
        copyText(pythonScriptOf(project.spec(), place(), project.name()),
                 tr("The script is on the clipboard."), context_.messages);
}

bool CopyActions::canBeRepeated() {
    const StudioProject& project = context_.work.project;
    if (project.store().hasPlace() || !lessonOf(project.spec().model)) return true;
    context_.messages.report(
        {tr("The lesson is not saved yet"),
         tr("Its model and data are embedded in the program, where no command can find them."),
         tr("Save the project in a folder; the command then uses that folder.")});
    return false;
}

std::filesystem::path CopyActions::place() const {
    const StudioProject& project = context_.work.project;
    return project.store().hasPlace() ? project.store().folder().toStdString() : std::string();
}

}  // namespace temper::ui
