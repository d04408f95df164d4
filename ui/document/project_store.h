// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QStringList>
#include <functional>
#include <memory>

#include "engine/training/spec/training_spec.h"
#include "ui/messages/problem.h"
#include "ui/tasks/ordered_writer.h"

namespace temper::ui {

class ProjectFolder;
class TaskRunner;

/// What is written of a project.
struct ProjectContents {
    TrainingSpec spec;
    QJsonObject view;  ///< how it is looked at
};

/// Where a project lies, and everything that is written there: the folder of its runs, the place
/// that somebody chose for it, files to hand out. Writes in tasks; the last one who asked counts.
/// Thread: the GUI thread.
class ProjectStore : public QObject {
    Q_OBJECT
public:
    explicit ProjectStore(TaskRunner& tasks, QObject* parent = nullptr);
    ~ProjectStore() override;

    /// Another project, in `folder`; null: in none yet. `view` is what is written there.
    void open(std::shared_ptr<ProjectFolder> folder, const QJsonObject& view);
    /// Lets go of the folder. What is still being written is written, but told to nobody.
    void close();
    /// The same of a folder that nobody chose, and removes it.
    void discard();

    /// The folder of runs and checkpoints; empty while there is none.
    QString folder() const;
    /// The same, to open it again while it is held; null while there is none.
    const std::shared_ptr<ProjectFolder>& held() const { return folder_; }
    /// Someone chose the folder: the project can be saved there.
    bool hasPlace() const;
    /// The name of that folder; empty without one.
    QString name() const;
    /// Folders that nobody chose are made below it.
    void setScratchRoot(const QString& path) { scratchRoot_ = path; }
    bool isScratch(const QString& folder) const;
    /// Makes a folder below the scratch root if there is none yet. Throws: Error(Io).
    QString ensureFolder(const TrainingSpec& spec);

    /// Writes into the project's folder. Only if hasPlace().
    void save(const ProjectContents& contents);
    /// The same, also into a folder that nobody chose; no file was opened by that.
    void keep(const ProjectContents& contents);
    /// Writes before it returns; the choices only if `isEdited`. Returns: whether it could.
    bool keepNow(const ProjectContents& contents, bool isEdited);
    /// Writes into a new untitled document, for a project whose folder can't be written.
    void rescue(const ProjectContents& contents);
    /// Makes `path` the project's folder and saves there. Runs that were made before a place was
    /// chosen come along: at once, or with moveRunsWhenIdle().
    void saveAs(const QString& path, const ProjectContents& contents, bool mayMoveRuns);
    void moveRunsWhenIdle();
    /// Writes the choices alone, as JSON.
    void saveSpec(const QString& path, const TrainingSpec& spec);
    /// Writes the project into one file to hand out, see packProject().
    void saveArchive(const QString& path, const ProjectContents& contents, bool withRuns);

signals:
    /// Another folder holds the runs now.
    void folderChanged();
    /// A file that deserves a line in the list of recent files.
    void fileOpened(const QString& path);
    void saved(const QString& folder, const temper::TrainingSpec& spec);
    void specSaved(const QString& path);
    /// `leftOut`: data that the file only names.
    void archiveSaved(const QString& path, qint64 bytes, const QStringList& leftOut);
    void problemFound(const temper::ui::Problem& problem);

private:
    /// Where it is, or is about to be.
    QString place() const;
    std::function<void()> writing(const QString& folder, const ProjectContents& contents);
    void write(const QString& folder, const ProjectContents& contents, std::function<void()> done);

    TaskRunner& tasks_;
    std::shared_ptr<ProjectFolder> folder_;
    std::shared_ptr<ProjectFolder> target_;  ///< saved there; the runs are still in folder_
    QJsonObject writtenView_;
    std::shared_ptr<OrderedWriter> writer_ = std::make_shared<OrderedWriter>();
    QString scratchRoot_;
    int project_ = 0;  ///< counts those that were opened and closed
};

}  // namespace temper::ui
