// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/messages.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QStatusBar>

#include "ui/window/workspace.h"

namespace temper::ui {

Messages::Messages(Workspace& work, Banner& banner, QStatusBar& bar)
    : work_(work), banner_(banner), bar_(bar) {
    connect(&work.project, &StudioProject::problemFound, this, &Messages::report);
    connect(&work.history, &RunHistory::failed, this, &Messages::report);
    connect(&work.queue, &RunQueue::failed, this, &Messages::report);
    connect(&work.documents, &UntitledDocuments::failed, this, &Messages::report);
    connect(&work.project, &StudioProject::fileOpened, this,
            [this](const QString& path) { note(tr("Opened %1").arg(path)); });
    connect(&work.run, &RunModel::happened, this, [this](const Problem& fact, bool isBad) {
        work_.log.add(
            isBad ? Severity::Warning : Severity::Info,
            fact.hint.isEmpty() ? fact.message : tr("%1 – %2").arg(fact.message, fact.hint));
    });
}

void Messages::report(const Problem& problem) {
    show(Banner::Kind::Bad, problem);
    work_.log.add(Severity::Error, tr("%1: %2").arg(problem.title, problem.message));
}

void Messages::offer(Banner::Kind kind, const Problem& message, const BannerAction& action) {
    BannerAction once = action;
    once.run = [this, run = action.run] {
        banner_.hide();
        run();
    };
    banner_.show(kind, message, {std::move(once)});
    isOffer_ = true;
}

void Messages::show(Banner::Kind kind, const Problem& message) {
    banner_.show(kind, message);
    isOffer_ = false;
}

void Messages::tell(const QString& message) {
    constexpr int kMessageMs = 5000;
    note(message);
    bar_.showMessage(message, kMessageMs);
}

void Messages::tellWritten(const QString& path) {
    note(tr("Written: %1").arg(path));
    if (isOffer_ && !banner_.isHidden()) return;  // an offer waits for its answer
    banner_.show(Banner::Kind::Good, {{}, tr("Saved as %1").arg(path), {}},
                 {{QStringLiteral("showWritten"), tr("Show in folder"),
                   [this, path] { emit work_.navigator.folderRequested(path); }}});
    isOffer_ = false;
}

void Messages::note(const QString& message) { work_.log.add(Severity::Info, message); }

void Messages::clear() { banner_.hide(); }

void Messages::clearReport() {
    if (!isOffer_) clear();
}

bool Messages::isShown(const QString& title) const {
    return !banner_.isHidden() && banner_.text().startsWith(title + QLatin1Char('\n'));
}

void Messages::withdraw(const QString& title) {
    if (isShown(title)) banner_.hide();
}

void copyText(const QString& content, const QString& message, Messages& messages) {
    QGuiApplication::clipboard()->setText(content);
    messages.tell(message);
}

}  // namespace temper::ui
