// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/known_projects.h"

#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <exception>
#include <stop_token>

#include "engine/training/projects/project_file.h"
#include "ui/document/project_folder.h"
#include "ui/document/stored_runs.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {
namespace {

constexpr auto kFoldersKey = "projectFolders";

struct ReadProjects {
    std::vector<KnownProject> projects;
    QStringList empty;  ///< folders that need not be known any more
};

ReadProjects readProjects(const QStringList& folders, const std::stop_token& stop) {
    ReadProjects read;
    for (const QString& folder : folders) {
        if (stop.stop_requested()) break;
        try {
            KnownProject project{folder, QFileInfo(folder).fileName(), {}};
            const bool isThere = isProjectFolder(folder.toStdString());
            if (isThere) project.runs = readStoredRuns(folder.toStdString());
            // One that is open may get runs yet.
            if (!project.runs.empty() || ProjectFolder::holderOf(folder))
                read.projects.push_back(std::move(project));
            else if (isThere)
                read.empty << folder;
        } catch (const std::exception&) {  // reported when it is opened
        }
    }
    return read;
}

}  // namespace

KnownProjects::KnownProjects(TaskRunner& tasks, QSettings& settings, QObject* parent)
    : QObject(parent), tasks_(tasks), settings_(settings) {}

void KnownProjects::add(const QString& folder) {
    QStringList known = folders();
    if (!known.isEmpty() && known.front() == folder) return;
    known.removeAll(folder);
    known.prepend(folder);
    settings_.setValue(kFoldersKey, known);
}

const KnownProject* KnownProjects::find(const QString& folder) const {
    const auto found = std::ranges::find(projects_, folder, &KnownProject::folder);
    return found == projects_.end() ? nullptr : &*found;
}

void KnownProjects::refresh() {
    tasks_.cancel(task_);
    task_ = tasks_.run(
        tr("Reading the runs of other projects"), tr("The runs of other projects can't be read"),
        [folders = folders()](const std::stop_token& stop) { return readProjects(folders, stop); },
        [this](ReadProjects read) {
            task_ = 0;
            projects_ = std::move(read.projects);
            forget(read.empty);
            emit changed();
        },
        [this](const Problem&) { task_ = 0; });
}

QStringList KnownProjects::folders() const {
    settings_.sync();
    return settings_.value(kFoldersKey).toStringList();
}

void KnownProjects::forget(const QStringList& empty) {
    if (empty.isEmpty()) return;
    QStringList known = folders();
    known.removeIf([&empty](const QString& folder) { return empty.contains(folder); });
    settings_.setValue(kFoldersKey, known);
}

}  // namespace temper::ui
