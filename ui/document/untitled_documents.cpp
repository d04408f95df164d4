// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/untitled_documents.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "engine/core/error.h"
#include "engine/runs/run_journal.h"
#include "engine/training/projects/project_file.h"
#include "ui/document/loaded_model.h"
#include "ui/document/project_folder.h"
#include "ui/document/stored_runs.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {
namespace {

namespace fs = std::filesystem;

/// One key per model, however its path is written.
QString modelKey(const std::string& model) {
    return lessonOf(model) ? text(model) : QFileInfo(text(model)).absoluteFilePath();
}

/// Reads what is readable: a partly damaged document is still listed.
UntitledDocument readDocument(const QFileInfo& info) {
    UntitledDocument document;
    document.folder = info.absoluteFilePath();
    document.title = UntitledDocuments::tr("Untitled");
    const fs::path folder = document.folder.toStdString();
    document.time = QFileInfo(text(projectFilePath(folder).string())).lastModified();
    const std::optional<qint64> holder = ProjectFolder::holderOf(document.folder);
    document.isOpen = holder.has_value();
    document.isOpenHere = holder == QCoreApplication::applicationPid();
    try {
        document.model = readProject(folder).spec.model;
        document.title = modelTitle(document.model);
        document.runs = readStoredRuns(folder);
    } catch (const Error&) {  // reported when it is opened
        return document;
    }
    for (const StoredRun& run : document.runs)
        document.time = std::max(document.time, QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(
                                                    1000 * (run.startedAt + run.seconds))));
    return document;
}

std::vector<UntitledDocument> readDocuments(const QString& root) {
    std::vector<UntitledDocument> documents;
    for (const QFileInfo& info : QDir(root).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot))
        if (isProjectFolder(info.absoluteFilePath().toStdString()))
            documents.push_back(readDocument(info));
    std::ranges::stable_sort(documents, std::ranges::greater(), &UntitledDocument::time);
    return documents;
}

}  // namespace

int64_t UntitledDocument::trainedSteps() const {
    int64_t steps = 0;
    for (const StoredRun& run : runs)
        if (!run.isTrashed) steps = std::max(steps, run.step);
    return steps;
}

bool UntitledDocument::wasInterrupted() const {
    return std::ranges::any_of(runs, [](const StoredRun& run) {
        return run.status == RunStatus::Interrupted && !run.isTrashed && !run.spec.empty();
    });
}

UntitledDocuments::UntitledDocuments(TaskRunner& tasks, const QString& root, QObject* parent)
    : QObject(parent), tasks_(tasks), root_(root) {}

const UntitledDocument* UntitledDocuments::find(const QString& folder) const {
    const auto found = std::ranges::find(documents_, folder, &UntitledDocument::folder);
    return found == documents_.end() ? nullptr : &*found;
}

const UntitledDocument* UntitledDocuments::newestOf(const std::string& model) const {
    const QString key = modelKey(model);
    const auto found = std::ranges::find_if(documents_, [&key](const UntitledDocument& document) {
        return !document.model.empty() && modelKey(document.model) == key;
    });
    return found == documents_.end() ? nullptr : &*found;
}

void UntitledDocuments::refresh() {
    tasks_.cancel(task_);
    task_ = tasks_.run(
        tr("Looking for untitled documents"), tr("The untitled documents could not be read"),
        [root = root_](std::stop_token) { return readDocuments(root); },
        [this](std::vector<UntitledDocument> documents) {
            task_ = 0;
            documents_ = std::move(documents);
            emit changed();
        },
        [this](const Problem& problem) {
            task_ = 0;
            emit failed(problem);
        });
}

void UntitledDocuments::throwAway(const QString& folder) {
    tasks_.mustFinish(tasks_.run(
        tr("Discarding a document"), tr("The document could not be discarded"),
        [folder](std::stop_token) {
            const auto held = ProjectFolder::open(folder, true);
            return QDir(folder).removeRecursively();
        },
        [this](bool) { refresh(); },
        [this](const Problem& problem) {
            emit failed(problem);
            refresh();
        }));
}

bool hasRuns(const QString& folder) {
    return !folder.isEmpty() && fs::exists(runStorePath(folder.toStdString()));
}

}  // namespace temper::ui
