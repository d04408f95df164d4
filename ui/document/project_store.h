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

/// The written parts of a project.
struct ProjectContents {
    TrainingSpec spec;
    QJsonObject view;  ///< the state of its views
};

/// The location of a project, and everything written there: the folder of its runs, the place that
/// the user chose for it, files to hand out. Writes in tasks; the last request counts. Thread: the
/// GUI thread.
class ProjectStore : public QObject {
    Q_OBJECT
public:
    explicit ProjectStore(TaskRunner& tasks, QObject* parent = nullptr);
    ~ProjectStore() override;

    /// Opens another project, in `folder`; null: in none yet. `view`: the view as written there.
    void open(std::shared_ptr<ProjectFolder> folder, const QJsonObject& view);
    /// Releases the folder. Pending writes are completed, but not signalled.
    void close();
    /// Like close(), and removes the folder if the user has not chosen a place.
    void discard();

    /// The folder of runs and checkpoints; empty if there is none.
    QString folder() const;
    /// The same folder, to reopen it while it is held; null if there is none.
    const std::shared_ptr<ProjectFolder>& held() const { return folder_; }
    /// The user chose the folder: the project can be saved there.
    bool hasPlace() const;
    /// The name of that folder; empty without one.
    QString name() const;
    /// Folders that the user did not choose are created below it.
    void setScratchRoot(const QString& path) { scratchRoot_ = path; }
    bool isScratch(const QString& folder) const;
    /// Creates a folder below the scratch root if there is none yet. Throws: Error(Io).
    QString ensureFolder(const TrainingSpec& spec);

    /// Writes into the project's folder. Only if hasPlace().
    void save(const ProjectContents& contents);
    /// Like save(), but also into a folder that the user did not choose; does not emit
    /// fileOpened().
    void keep(const ProjectContents& contents);
    /// Writes before it returns; the choices only if `isEdited`. Returns: whether it succeeded.
    bool keepNow(const ProjectContents& contents, bool isEdited);
    /// Writes into a new untitled document, for a project whose folder can't be written.
    void rescue(const ProjectContents& contents);
    /// Makes `path` the project's folder and saves there. Runs made before a place was chosen are
    /// to move, too: see runsToMove().
    void saveAs(const QString& path, const ProjectContents& contents);
    /// Moves runs that are to move, if any. Call it only while nothing trains; nothing may begin to
    /// train while isMovingRuns().
    void moveRunsWhenIdle();
    bool isMovingRuns() const { return isMovingRuns_; }
    /// Writes only the choices, as JSON.
    void saveSpec(const QString& path, const TrainingSpec& spec);
    /// Writes the project into one file to hand out; see packProject().
    void saveArchive(const QString& path, const ProjectContents& contents, bool withRuns);

signals:
    /// Another folder now holds the runs.
    void folderChanged();
    /// A place was chosen for the runs: moveRunsWhenIdle() is due as soon as nothing trains.
    void runsToMove();
    /// isMovingRuns() has changed, or the runs of a closed project have moved.
    void movingChanged();
    /// A file that belongs in the list of recent files.
    void fileOpened(const QString& path);
    void saved(const QString& folder, const temper::TrainingSpec& spec);
    void specSaved(const QString& path);
    /// `leftOut`: data that the file only names.
    void archiveSaved(const QString& path, qint64 bytes, const QStringList& leftOut);
    void problemFound(const temper::ui::Problem& problem);

private:
    /// Its current or imminent folder.
    QString place() const;
    std::function<void()> writing(const QString& folder, const ProjectContents& contents);
    void write(const QString& folder, const ProjectContents& contents, std::function<void()> done);
    void setMovingRuns(bool areMoving);

    TaskRunner& tasks_;
    std::shared_ptr<ProjectFolder> folder_;
    std::shared_ptr<ProjectFolder> target_;  ///< saved there; the runs are still in folder_
    QJsonObject writtenView_;
    std::shared_ptr<OrderedWriter> writer_ = std::make_shared<OrderedWriter>();
    QString scratchRoot_;
    bool isMovingRuns_ = false;
    int project_ = 0;  ///< counts projects opened and closed
};

}  // namespace temper::ui
