// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QLockFile>
#include <QString>
#include <memory>
#include <optional>

namespace temper::ui {

/// The folder of an open project. While this object exists, no other window opens the project.
class ProjectFolder {
    Q_DECLARE_TR_FUNCTIONS(temper::ui::ProjectFolder)

public:
    /// Creates the folder if it is missing. `isScratch`: the user has not chosen a place yet.
    /// Throws: Error(State) naming the process that has it open, Error(Io).
    static std::unique_ptr<ProjectFolder> open(const QString& path, bool isScratch);
    /// A new folder below `root`, named by the time.
    static std::unique_ptr<ProjectFolder> makeScratch(const QString& root);

    /// The process that has it open, according to its lock; takes no lock itself.
    static std::optional<qint64> holderOf(const QString& path);

    const QString& path() const { return path_; }
    bool isScratch() const { return isScratch_; }
    /// Removes it from the disk, with everything in it. Thread: any.
    void remove();

private:
    ProjectFolder(const QString& path, bool isScratch);
    void lock();

    QString path_;
    bool isScratch_;
    QLockFile lock_;
};

/// Moves history, runs and checkpoints; `from` keeps none of them, or all of them if it throws:
/// Error(Io) naming the file. Thread: any, while no run writes to them.
void moveRuns(const QString& from, const QString& to);

}  // namespace temper::ui
