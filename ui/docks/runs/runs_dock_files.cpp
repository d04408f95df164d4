// SPDX-License-Identifier: GPL-3.0-or-later
// Of RunsDock: files that come and go.
#include <QFileDialog>

#include "engine/runs/run_journal.h"
#include "engine/runs/tensorboard.h"
#include "ui/docks/log/log_model.h"
#include "ui/docks/runs/runs_dock.h"
#include "ui/document/studio_project.h"
#include "ui/run/pdf_report.h"
#include "ui/run/run_history.h"

namespace temper::ui {

void RunsDock::importLog() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Import the log of a run"), {},
                                                      tr("Logs of runs (*.jsonl);;All files (*)"));
    if (!path.isEmpty()) context_.history.importLog(path);
}

template <typename F>
void RunsDock::writeFrom(const QString& title, F write) {
    const auto ids = selected();
    const StoredRun* run = ids.size() == 1 ? context_.history.find(ids.front()) : nullptr;
    if (run == nullptr) return;
    context_.project.tasks()->run(
        title, tr("The file could not be written"),
        [write, run = *run, log = runLogPath(context_.history.folderOf(*run).toStdString())](
            std::stop_token) { return write(readRunLog(log), run); },
        [this](const std::filesystem::path& path) {
            context_.log.add(Severity::Info, tr("Written: %1").arg(text(path.string())));
        },
        [this](const Problem& problem) { emit context_.history.failed(problem); });
}

void RunsDock::saveReport() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save a page about the run"), QStringLiteral("run.html"),
        tr("Pages for a browser (*.html);;Pages to print (*.pdf)"));
    if (path.isEmpty()) return;
    writeFrom(tr("Writing the report"), [path = std::filesystem::path(path.toStdString())](
                                            const RunRecord& record, const StoredRun&) {
        writeReport(record, path);
        return path;
    });
}

void RunsDock::saveTensorBoard() {
    const QString folder =
        QFileDialog::getExistingDirectory(this, tr("Folder that TensorBoard reads"));
    if (folder.isEmpty()) return;
    writeFrom(tr("Writing the event file"), [path = std::filesystem::path(folder.toStdString())](
                                                const RunRecord& record, const StoredRun& run) {
        return writeTensorBoard(record, run.startedAt, path);
    });
}

}  // namespace temper::ui
