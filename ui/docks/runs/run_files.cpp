// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_files.h"

#include <QFileDialog>

#include "engine/runs/run_journal.h"
#include "engine/runs/tensorboard.h"
#include "ui/document/studio_project.h"
#include "ui/run/pdf_report.h"
#include "ui/run/run_history.h"
#include "ui/widgets/written_file.h"

namespace temper::ui {

RunFiles::RunFiles(const PanelContext& context, QWidget* page)
    : QObject(page), context_(context), page_(page) {}

void RunFiles::importLog() {
    const QString path = QFileDialog::getOpenFileName(page_, tr("Import a run log"), {},
                                                      tr("Run logs (*.jsonl);;All files (*)"));
    if (!path.isEmpty()) context_.history.importLog(path);
}

void RunFiles::write(const QString& title, int64_t id, const Write& make) {
    const StoredRun* run = context_.history.find(id);
    if (run == nullptr) return;
    context_.project.tasks()->mustFinish(context_.project.tasks()->run(
        title, tr("The file could not be written"),
        [make, run = *run, log = runLogPath(context_.history.folderOf(*run).toStdString())](
            std::stop_token) { return make(readRunLog(log), run); },
        [this](const std::filesystem::path& path) { tellWritten(page_, text(path.string())); },
        [this](const Problem& problem) { emit context_.history.failed(problem); }));
}

void RunFiles::saveReport(int64_t run) {
    const QString path = QFileDialog::getSaveFileName(
        page_, tr("Save a report of the run"), QStringLiteral("run.html"),
        tr("Pages for a browser (*.html);;Pages to print (*.pdf)"));
    if (path.isEmpty()) return;
    write(tr("Writing the report"), run,
          [path = std::filesystem::path(path.toStdString())](const RunRecord& record,
                                                             const StoredRun&) {
              writeReport(record, path);
              return path;
          });
}

void RunFiles::saveTensorBoard(int64_t run) {
    const QString folder =
        QFileDialog::getExistingDirectory(page_, tr("Folder that TensorBoard reads"));
    if (folder.isEmpty()) return;
    write(tr("Writing the event file"), run,
          [path = std::filesystem::path(folder.toStdString())](const RunRecord& record,
                                                               const StoredRun& stored) {
              return writeTensorBoard(record, stored.startedAt, path);
          });
}

}  // namespace temper::ui
