// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QTimer>
#include <QUndoStack>
#include <memory>
#include <optional>

#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"
#include "ui/document/file_watch.h"
#include "ui/document/loaded_data.h"
#include "ui/document/loaded_model.h"
#include "ui/document/preparation.h"
#include "ui/tasks/ordered_writer.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

class ProjectFolder;

/// The document: a model, every choice about its training, the data, and what follows from them.
///
/// The choices are one TrainingSpec; each edit is an undoable change of that value. Everything
/// that takes time (files, artifacts, binding) runs in tasks; the results are immutable.
/// Thread: the GUI thread.
class StudioProject : public QObject {
    Q_OBJECT
public:
    explicit StudioProject(QObject* parent = nullptr);
    ~StudioProject() override;

    /// A project folder, a forward model (ONNX) or a specification (JSON).
    void openFile(const QString& path);
    void openLesson(const QString& name);
    /// Writes the specification as JSON.
    void saveSpec(const QString& path);
    /// Writes the project into its folder. Only where hasPlace().
    void save();
    /// Writes what was edited into the folder, if there is one, and tells nobody.
    void autosave();
    /// The same before it returns, with how the project is looked at.
    void saveNow();
    /// Makes `path` the project's folder and saves there. Runs that were made before a place was
    /// chosen come along: at once, or with moveRunsWhenIdle().
    void saveAs(const QString& path, bool mayMoveRuns);
    void moveRunsWhenIdle();
    /// Writes the project into one file to hand out, see packProject(); archiveSaved() tells.
    void saveArchive(const QString& path, bool withRuns);
    /// Reads model and data again; the choices stay.
    void reload();
    /// No model is open any more.
    void closeModel();

    /// The folder of runs and checkpoints; empty while there is none.
    QString folder() const;
    /// Someone chose the folder: it can be saved there.
    bool hasPlace() const;
    /// Makes a folder below the scratch root where there is none yet. Throws: Error(Io).
    QString ensureFolder();
    void setScratchRoot(const QString& path) { scratchRoot_ = path; }
    /// The project's name: of its folder, else of the model.
    QString name() const;

    /// How the project was looked at; kept beside it.
    QJsonValue view(const QString& key) const { return view_.value(key); }
    void setView(const QString& key, const QJsonValue& value) { view_.insert(key, value); }

    const std::shared_ptr<const OpSet>& ops() const { return ops_; }
    const std::shared_ptr<const LoadedModel>& model() const { return model_; }
    const std::shared_ptr<const LoadedData>& data() const { return data_; }
    /// Null until it was found for this model; may be of older choices while isPreparing().
    const std::shared_ptr<const Preparation>& preparation() const { return preparation_; }
    bool isPreparing() const { return preparing_; }
    bool isLoadingData() const { return dataTask_ != 0; }
    const Problem& dataProblem() const { return dataProblem_; }
    /// The lesson that the model came from.
    const std::optional<Lesson>& lesson() const { return lesson_; }
    /// Changes with every model that is opened, not with its edits: paths alone do not tell lessons
    /// from edits.
    int generation() const { return generation_; }

    const TrainingSpec& spec() const { return spec_; }
    /// An undoable change; nothing happens where `spec` is what it was.
    void edit(const QString& text, const TrainingSpec& spec, int mergeId = -1);
    QUndoStack* undoStack() { return &undoStack_; }
    TaskRunner* tasks() { return &tasks_; }

    /// Model and choices are free of errors, artifacts are there, every input is bound.
    bool isReadyToTrain() const;

signals:
    void modelChanged();
    void specChanged();
    /// Another model is open, not only another head: everybody has heard of it.
    void opened();
    void dataChanged();
    void preparationChanged();
    /// A file was opened that deserves a line in the list of recent files.
    void fileOpened(const QString& path);
    /// Others write into view() what is to be kept.
    void aboutToSave();
    /// The model and its choices are about to go; all of them are there for the last time.
    void aboutToClose();
    void saved(const QString& folder);
    /// `leftOut`: data that the file only names.
    void archiveSaved(const QString& path, qint64 bytes, const QStringList& leftOut);
    /// The project comes from one file and lies in a folder now; it may have been there before.
    void archiveOpened(const QString& path, bool wasThere);
    /// Another folder holds the runs now.
    void folderChanged();
    /// The model or data that is open was changed by another program.
    void fileChanged(const QString& path);
    void problemFound(const temper::ui::Problem& problem);

private:
    struct Opened {
        std::shared_ptr<const LoadedModel> model;
        TrainingSpec spec;
        std::optional<Lesson> lesson;
        std::shared_ptr<ProjectFolder> folder = {};  ///< null: not from a project
        QJsonObject view = {};
        bool isEdited = false;  ///< the choices differ from what was saved
        QString archive = {};   ///< that it was unpacked from
        bool wasUnpacked = false;
    };

    using Opening = std::function<Opened(std::stop_token)>;

    void openArchive(const QString& path);
    static Opened openProject(std::shared_ptr<ProjectFolder> folder, const OpSet& ops,
                              const std::stop_token& stop);
    static void loadModelOf(Opened& opened, const OpSet& ops, const std::stop_token& stop);
    static Opened openSource(const QString& path, const OpSet& ops, const std::stop_token& stop);
    void startOpening(const QString& title, Opening open, const QString& path);
    void report(const Problem& problem);
    void adopt(Opened opened, const QString& path);
    void close();
    void watchFiles();
    /// Where it is, or is about to be.
    QString place() const;
    std::function<void()> writing(const QString& folder);
    void write(const QString& folder, std::function<void()> done);
    void apply(const TrainingSpec& spec);
    void reloadModel();
    void reloadData();
    void readAsTheLossDoes();
    void lookAtSamples();
    void schedulePreparation();
    void startPreparation();

    TaskRunner tasks_;
    std::shared_ptr<const OpSet> ops_;
    std::shared_ptr<const LoadedModel> model_;
    std::shared_ptr<const LoadedData> data_;
    std::shared_ptr<const Preparation> preparation_;
    std::optional<Lesson> lesson_;
    TrainingSpec spec_;
    std::shared_ptr<ProjectFolder> folder_;
    std::shared_ptr<ProjectFolder> target_;  ///< saved there; the runs are still in folder_
    QJsonObject view_, writtenView_;
    std::shared_ptr<OrderedWriter> writer_ = std::make_shared<OrderedWriter>();
    QString scratchRoot_;
    FileWatch watch_;
    QUndoStack undoStack_;
    QTimer preparationTimer_;
    Problem dataProblem_;
    TargetForm readFor_;  ///< what the loss takes the data's target for
    int openTask_ = 0;
    int dataTask_ = 0;
    int lookTask_ = 0;
    int preparationTask_ = 0;
    int generation_ = 0;
    bool preparing_ = false;
};

}  // namespace temper::ui
