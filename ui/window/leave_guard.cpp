// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/leave_guard.h"

#include <QCheckBox>
#include <QMessageBox>
#include <QPushButton>
#include <algorithm>

#include "ui/window/run_guard.h"
#include "ui/window/save_place.h"
#include "ui/window/workspace.h"

namespace temper::ui {
namespace {

constexpr auto kKeepsKey = "keepsUntitledDocuments";

QPushButton* addAnswer(QMessageBox& box, const char* name, const QString& text,
                       QMessageBox::ButtonRole role) {
    QPushButton* button = box.addButton(text, role);
    button->setObjectName(QLatin1String(name));
    return button;
}

}  // namespace

LeaveGuard::LeaveGuard(QWidget& window, Workspace& work, RunGuard& run)
    : window_(window), work_(work), run_(run) {}

int64_t LeaveGuard::unsavedSteps() const {
    if (!work_.project.hasUnsavedWeights()) return 0;
    int64_t steps = work_.run.step();
    for (const StoredRun& run : *work_.history.runs())
        if (!run.isTrashed && work_.history.documentOf(run.id).isEmpty())
            steps = std::max(steps, run.step);
    return steps;
}

bool LeaveGuard::asks() const {
    if (work_.run.isActive()) return true;
    return unsavedSteps() > 0 && !work_.settings.value(kKeepsKey).toBool();
}

void LeaveGuard::leave(const QString& question, std::function<void()> proceed) {
    run_.whenIdle(question, [this, proceed = std::move(proceed)] {
        asks() ? askAboutWeights(proceed) : proceed();
    });
}

void LeaveGuard::askAboutWeights(std::function<void()> proceed) {
    auto* box = new QMessageBox(
        QMessageBox::Question, tr("Trained weights"),
        tr("%1 has trained weights that are not saved as a project.").arg(work_.project.name()),
        QMessageBox::NoButton, &window_);
    box->setObjectName(QStringLiteral("leaveDialog"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("It was trained for %Ln steps. If you keep it, it stays among the untitled documents on "
           "the start page, with its runs and checkpoints.",
           nullptr, static_cast<int>(unsavedSteps())));
    auto* always = new QCheckBox(tr("Always keep them without asking"), box);
    always->setObjectName(QStringLiteral("alwaysKeep"));
    box->setCheckBox(always);
    QPushButton* keep = addAnswer(*box, "keepWeights", tr("Keep"), QMessageBox::AcceptRole);
    QPushButton* save =
        addAnswer(*box, "saveWeights", tr("Save as project…"), QMessageBox::ActionRole);
    QPushButton* away =
        addAnswer(*box, "throwAwayWeights", tr("Discard"), QMessageBox::DestructiveRole);
    box->addButton(QMessageBox::Cancel);
    box->setDefaultButton(keep);
    connect(keep, &QPushButton::clicked, this, [this, always, proceed] {
        if (always->isChecked()) work_.settings.setValue(kKeepsKey, true);
        proceed();
    });
    connect(save, &QPushButton::clicked, this, [this, proceed] { this->save(proceed); });
    connect(away, &QPushButton::clicked, this, [this, proceed] {
        work_.project.throwAway();
        proceed();
    });
    box->open();
}

void LeaveGuard::save(std::function<void()> proceed) {
    const QString path = askSavePlace(window_, work_.project);
    if (path.isEmpty()) return;
    auto* once = new QObject(this);
    // By then the runs have been moved.
    connect(&work_.project, &StudioProject::folderChanged, once,
            [this, once, proceed = std::move(proceed)] {
                if (work_.project.store().isScratch(work_.project.store().folder())) return;
                once->deleteLater();
                disconnect(&work_.project, nullptr, once, nullptr);
                QMetaObject::invokeMethod(this, proceed, Qt::QueuedConnection);
            });
    connect(&work_.project, &StudioProject::problemFound, once, &QObject::deleteLater);
    work_.project.saveAs(path);
}

}  // namespace temper::ui
