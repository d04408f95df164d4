// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/jobs/job_attacher.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <utility>

#include "engine/core/file.h"
#include "engine/training/projects/project_archive.h"
#include "ui/commands/navigator.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_history.h"
#include "ui/run/server_call.h"

namespace temper::ui {
namespace {

namespace fs = std::filesystem;

/// Where projects of other machines are unpacked.
fs::path copyFolder() {
    const QString data = QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation);
    return fs::path(data.toStdString()) / "jobs";
}

/// Thread: any. Throws: Error.
QString fetchProject(JobClient& client, int64_t job) {
    const fs::path folder = copyFolder();
    ensureFolder(folder);
    const fs::path archive = folder / ("job-" + std::to_string(job) + kProjectArchiveEnding);
    client.fetchProject(job, archive);
    return QString::fromStdString(unpackProject(archive, folder).folder.string());
}

}  // namespace

JobAttacher::JobAttacher(const PanelContext& context, QObject* parent)
    : QObject(parent), context_(context) {
    connect(&context_.project, &StudioProject::opened, this, [this] {
        if (wanted_ && isOpen(wanted_->folder)) return attachNow();
        wanted_.reset();
    });
    connect(&context_.project, &StudioProject::problemFound, this, [this] { wanted_.reset(); });
}

void JobAttacher::attach(const ServerAddress& address, const JobStatus& job) {
    if (!address.isHere) return fetch(address, job);
    const QString folder = QString::fromStdString(job.job.project.string());
    show({address, job.job.id, job.job.run, folder});
}

void JobAttacher::fetch(const ServerAddress& address, const JobStatus& job) {
    context_.project.tasks()->run(
        tr("Copying the project"), tr("The project could not be copied from the server"),
        [address, id = job.job.id](const std::stop_token& stop) {
            return withServer(address, stop,
                              [id](JobClient& client) { return fetchProject(client, id); });
        },
        [this, address, id = job.job.id](const QString& folder) {
            show({address, id, 0, folder});
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void JobAttacher::show(const Wanted& wanted) {
    wanted_ = wanted;
    if (isOpen(wanted.folder)) return attachNow();
    emit context_.navigator.fileRequested(wanted.folder);
}

bool JobAttacher::isOpen(const QString& folder) const {
    const QString open = context_.project.store().folder();
    return context_.project.model() && !open.isEmpty() &&
           QFileInfo(open).canonicalFilePath() == QFileInfo(folder).canonicalFilePath();
}

void JobAttacher::attachNow() {
    const Wanted wanted = *std::exchange(wanted_, std::nullopt);
    context_.controller.attach(wanted.address, wanted.job);
    context_.history.setCurrent(wanted.run);
    emit context_.navigator.pageRequested(QStringLiteral("train"));
}

}  // namespace temper::ui
