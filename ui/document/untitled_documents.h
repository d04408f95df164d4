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

/// A project without a place chosen by the user: a folder among the program's own files with its
/// choices, its runs and their checkpoints.
struct UntitledDocument {
    QString folder;
    std::string model;  ///< as TrainingSpec::model has it
    QString title;      ///< the model's name as the user knows it
    QDateTime time;     ///< of the last work on it
    std::vector<StoredRun> runs;
    bool isOpen = false;      ///< in this window or another one
    bool isOpenHere = false;  ///< in this process

    /// Steps of the longest run; 0: there are no trained weights.
    int64_t trainedSteps() const;
    /// Whether its program died while it trained.
    bool wasInterrupted() const;
};

/// All untitled documents, until they are discarded or saved as a project. They are read in tasks.
/// Thread: the GUI thread.
class UntitledDocuments : public QObject {
    Q_OBJECT
public:
    /// The documents are the folders below `root`.
    UntitledDocuments(TaskRunner& tasks, const QString& root, QObject* parent = nullptr);

    /// The newest first.
    const std::vector<UntitledDocument>& all() const { return documents_; }
    const UntitledDocument* find(const QString& folder) const;
    /// The newest document of a model, however its path is written.
    const UntitledDocument* newestOf(const std::string& model) const;
    /// Reads them again.
    void refresh();
    /// Deletes a document for good, with its runs and checkpoints. Refuses a document that is open
    /// anywhere.
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

/// Whether a project's folder may contain trained weights.
bool hasRuns(const QString& folder);

}  // namespace temper::ui
