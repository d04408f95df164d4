// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/queue_commands.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>

#include "ui/checks/start_obstacle.h"
#include "ui/commands/command_registry.h"
#include "ui/commands/navigator.h"
#include "ui/docks/runs/sweep_dialog.h"
#include "ui/document/studio_project.h"
#include "ui/messages/problem.h"
#include "ui/run/run_queue.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/page.h"

namespace temper::ui {

QueueCommands::QueueCommands(const PanelContext& context, QWidget* owner)
    : QObject(owner),
      context_(context),
      owner_(owner),
      add_(new QAction(tr("Add to the queue"), this)),
      vary_(new QAction(themedIcon(QStringLiteral("chart")), tr("Vary a setting…"), this)),
      run_(new QAction(themedIcon(QStringLiteral("play")), tr("Run the queue"), this)) {
    add_->setShortcut(QKeySequence("Ctrl+Alt+Q"));
    vary_->setShortcut(QKeySequence("Ctrl+Alt+V"));
    vary_->setData(QStringLiteral("chart"));
    run_->setData(QStringLiteral("play"));
    context_.commands.add(QStringLiteral("queue.add"), MenuId::Training, add_);
    context_.commands.add(QStringLiteral("queue.vary"), MenuId::Training, vary_);
    context_.commands.add(QStringLiteral("queue.run"), MenuId::Training, run_);
    connect(add_, &QAction::triggered, this, &QueueCommands::addThis);
    connect(vary_, &QAction::triggered, this, &QueueCommands::askVariations);
    connect(run_, &QAction::triggered, this,
            [this] { context_.queue.setOn(!context_.queue.isOn()); });
    connect(&context_.queue, &RunQueue::changed, this, &QueueCommands::refresh);
    connect(&context_.project, &StudioProject::modelChanged, this, &QueueCommands::refresh);
    connect(&context_.project, &StudioProject::preparationChanged, this, &QueueCommands::refresh);
    refresh();
}

QWidget* QueueCommands::makeBar(QWidget* parent) {
    bar_ = new QWidget(parent);
    bar_->setObjectName(QStringLiteral("queueBar"));
    auto* row = new QHBoxLayout(bar_);
    row->setContentsMargins(em(bar_, 0.5), 0, 0, 0);
    count_ = makeLabel({}, "", bar_);
    row->addWidget(count_);
    row->addWidget(new ActionButton(run_, true, bar_));
    row->addStretch(1);
    refresh();
    return bar_;
}

void QueueCommands::addThis() {
    context_.queue.add({{{}, {}, context_.project.spec()}});
    emit context_.navigator.dockRequested(QStringLiteral("runs"));
}

void QueueCommands::askVariations() {
    auto* dialog = new SweepDialog(context_.project.spec(), owner_->window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] { addVariations(*dialog); });
    dialog->open();
}

void QueueCommands::addVariations(const SweepDialog& dialog) {
    const std::string title = dialog.settingTitle().toStdString();
    std::vector<RunHistory::Planned> runs;
    for (const std::string& value : dialog.values())
        runs.push_back(
            {title + " " + value, title, withSetting(dialog.spec(), dialog.setting().key, value)});
    context_.queue.add(runs);
    emit context_.navigator.dockRequested(QStringLiteral("runs"));
}

void QueueCommands::refresh() {
    const bool canAdd = startObstacle(context_.project).text.isEmpty();
    add_->setEnabled(canAdd);
    vary_->setEnabled(canAdd);
    const auto count = static_cast<int>(context_.queue.waiting());
    const bool isOn = context_.queue.isOn();
    run_->setText(isOn ? tr("Hold the queue") : tr("Run the queue"));
    run_->setData(isOn ? QStringLiteral("pause") : QStringLiteral("play"));
    run_->setIcon(themedIcon(run_->data().toString()));
    run_->setEnabled(count > 0 || isOn);
    if (bar_ == nullptr) return;
    bar_->setVisible(count > 0 || isOn);
    count_->setText(!isOn ? tr("%Ln runs are waiting.", nullptr, count)
                    : count > 0
                        ? tr("%Ln runs are waiting; each starts when the previous one has ended.",
                             nullptr, count)
                        : tr("The last run of the queue is active."));
}

}  // namespace temper::ui
