// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/run_guard.h"

#include <QMessageBox>
#include <QPushButton>

#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"

namespace temper::ui {

RunGuard::RunGuard(QWidget& window, RunModel& run, RunController& controller)
    : window_(window), run_(run), controller_(controller) {}

void RunGuard::whenIdle(const QString& question, std::function<void()> proceed) {
    // A job goes on without the window.
    controller_.detach();
    if (!run_.isActive()) return proceed();
    auto* box = new QMessageBox(QMessageBox::Question, tr("Training is running"), question,
                                QMessageBox::NoButton, &window_);
    box->setObjectName(QStringLiteral("runningDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("The run stops after the current step."));
    QPushButton* stop = box->addButton(tr("Stop training"), QMessageBox::AcceptRole);
    box->addButton(tr("Keep training"), QMessageBox::RejectRole);
    connect(stop, &QPushButton::clicked, this, [this, proceed = std::move(proceed)] {
        if (!run_.isActive()) return proceed();
        afterRun(proceed);
        controller_.stop();
    });
    box->open();
}

void RunGuard::afterRun(std::function<void()> proceed) {
    auto* once = new QObject(this);
    // Queued: all receivers have handled the end before the window proceeds.
    connect(
        &run_, &RunModel::stateChanged, once,
        [this, once, proceed = std::move(proceed)] {
            if (run_.isActive()) return;
            once->deleteLater();
            proceed();
        },
        Qt::QueuedConnection);
}

}  // namespace temper::ui
