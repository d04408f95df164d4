// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QStatusBar>

#include "engine/training/projects/project_archive.h"
#include "ui/main_window.h"

namespace temper::ui {
namespace {

constexpr int kArchiveMessageMs = 5000;

}  // namespace

/// Everything there is, to keep or to move; or without the runs, to hand out.
void MainWindow::askSaveArchive(bool withRuns) {
    const QString ending = QString::fromLatin1(kProjectArchiveEnding);
    QString path = QFileDialog::getSaveFileName(
        this, withRuns ? tr("Save the project as one file") : tr("Save the project to hand out"),
        QFileInfo(project_.name()).completeBaseName() + ending, tr("Projects (*.temper)"));
    if (path.isEmpty()) return;
    if (!isProjectArchivePath(path.toStdString())) path += ending;
    project_.saveArchive(path, withRuns);
}

void MainWindow::tellOfArchive(const QString& path, qint64 bytes, const QStringList& leftOut) {
    const QString name = QFileInfo(path).fileName();
    const QString saved =
        tr("The project is in %1 (%2).").arg(name, QLocale().formattedDataSize(bytes));
    log_.add(Severity::Info, saved);
    if (leftOut.isEmpty()) return statusBar()->showMessage(saved, kArchiveMessageMs);
    banner_->show(Banner::Kind::Attention,
                  {tr("%1 does not hold the data").arg(name),
                   tr("%1 is too large for it, or of a kind that has files elsewhere.")
                       .arg(leftOut.join(QStringLiteral(", "))),
                   tr("Hand the data out as well; whoever opens the project chooses it again.")});
}

void MainWindow::tellOfUnpacked(const QString& path, bool wasThere) {
    const QString message =
        (wasThere ? tr("%1 was unpacked before: this is the project as it was left, in %2.")
                  : tr("%1 was unpacked into %2."))
            .arg(QFileInfo(path).fileName(), project_.folder());
    log_.add(Severity::Info, message);
    statusBar()->showMessage(message, kArchiveMessageMs);
}

}  // namespace temper::ui
