// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/recent_projects.h"

#include <QFileInfo>
#include <algorithm>
#include <stop_token>

#include "engine/core/error.h"
#include "ui/document/opened_project.h"
#include "ui/document/recent_files.h"
#include "ui/document/stored_runs.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {
namespace {

std::vector<RecentProject> readProjects(const QStringList& paths, const std::stop_token& stop) {
    std::vector<RecentProject> projects;
    for (const QString& path : paths) {
        if (stop.stop_requested()) break;
        const QString folder = projectFolderOf(path);
        if (folder.isEmpty() ||
            std::ranges::find(projects, folder, &RecentProject::folder) != projects.end())
            continue;
        try {
            projects.push_back(
                {folder, QFileInfo(folder).fileName(), readStoredRuns(folder.toStdString())});
        } catch (const Error&) {  // reported when it is opened
        }
    }
    return projects;
}

}  // namespace

RecentProjects::RecentProjects(TaskRunner& tasks, const RecentFiles& recent, QObject* parent)
    : QObject(parent), tasks_(tasks), recent_(recent) {}

const RecentProject* RecentProjects::find(const QString& folder) const {
    const auto found = std::ranges::find(projects_, folder, &RecentProject::folder);
    return found == projects_.end() ? nullptr : &*found;
}

void RecentProjects::refresh() {
    tasks_.cancel(task_);
    task_ = tasks_.run(
        tr("Reading the runs of other projects"), tr("The runs of other projects can't be read"),
        [paths = recent_.paths()](const std::stop_token& stop) {
            return readProjects(paths, stop);
        },
        [this](std::vector<RecentProject> projects) {
            task_ = 0;
            projects_ = std::move(projects);
            emit changed();
        },
        [this](const Problem&) { task_ = 0; });
}

}  // namespace temper::ui
