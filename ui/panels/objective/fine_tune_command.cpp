// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/fine_tune_command.h"

#include <QAction>

#include "ui/commands/command_registry.h"
#include "ui/document/studio_project.h"
#include "ui/panels/objective/fine_tune_sheet.h"
#include "ui/run/run_model.h"
#include "ui/theme/icons.h"

namespace temper::ui {

FineTuneCommand::FineTuneCommand(const PanelContext& context, QWidget* owner)
    : QObject(owner),
      context_(context),
      owner_(owner),
      action_(new QAction(themedIcon(QStringLiteral("settings")), tr("Fine-tune…"), this)) {
    action_->setData(QStringLiteral("settings"));
    action_->setShortcut(QKeySequence("Ctrl+Alt+T"));
    action_->setToolTip(tr("Proposes all settings for this model and this data"));
    context_.commands.add(QStringLiteral("training.fineTune"), MenuId::Training, action_);
    connect(action_, &QAction::triggered, this, &FineTuneCommand::open);
    connect(&context_.project, &StudioProject::modelChanged, this, &FineTuneCommand::refresh);
    connect(&context_.project, &StudioProject::dataChanged, this, &FineTuneCommand::refresh);
    connect(&context_.run, &RunModel::stateChanged, this, &FineTuneCommand::refresh);
    refresh();
}

void FineTuneCommand::open() {
    auto* sheet = new FineTuneSheet(context_, owner_->window());
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->open();
}

void FineTuneCommand::refresh() {
    const StudioProject& project = context_.project;
    action_->setEnabled(project.model() && project.data() && !context_.run.isActive());
}

}  // namespace temper::ui
