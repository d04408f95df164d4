// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/runs/run_store.h"
#include "ui/messages/problem.h"

namespace temper::ui {

class TaskRunner;

/// A project that nobody has given a place yet: a folder among the program's own files with its
/// choices, its runs and their checkpoints.
struct UntitledDocument {
    QString folder;
    std::string model;  ///< as TrainingSpec::model has it
    QString title;      ///< the model's name as a person knows it
    QDateTime time;     ///< when it was worked with last
    std::vector<StoredRun> runs;
    bool isOpen = false;      ///< in this window or another one
    bool isOpenHere = false;  ///< in this process

    /// Steps of the longest run; 0: there are no trained weights.
    int64_t trainedSteps() const;
    /// Its program died while it trained.
    bool wasInterrupted() const;
};

/// All untitled documents, until they are thrown away or saved as a project. They are read in
/// tasks. Thread: the GUI thread.
class UntitledDocuments : public QObject {
    Q_OBJECT
public:
    /// They are the folders below `root`.
    UntitledDocuments(TaskRunner& tasks, const QString& root, QObject* parent = nullptr);

    /// The newest first.
    const std::vector<UntitledDocument>& all() const { return documents_; }
    const UntitledDocument* find(const QString& folder) const;
    /// The newest one of a model, however its path was written.
    const UntitledDocument* newestOf(const std::string& model) const;
    /// Reads them again.
    void refresh();
    /// For good, with its runs and checkpoints. A document that is open anywhere is refused.
    void throwAway(const QString& folder);

signals:
    void changed();
    void failed(const temper::ui::Problem& problem);

private:
    TaskRunner& tasks_;
    QString root_;
    std::vector<UntitledDocument> documents_;
    int task_ = 0;
};

/// Whether there may be trained weights in a project's folder.
bool hasRuns(const QString& folder);

}  // namespace temper::ui
