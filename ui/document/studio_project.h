// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QObject>
#include <QUndoStack>
#include <memory>
#include <optional>

#include "engine/ops/op_set.h"
#include "engine/training/spec/training_spec.h"
#include "ui/document/file_watch.h"
#include "ui/document/loaded_model.h"
#include "ui/document/opened_project.h"
#include "ui/document/preparation_task.h"
#include "ui/document/project_data.h"
#include "ui/document/project_store.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

/// The document: a model, every choice about its training, the data, and what follows from them.
///
/// The choices are one TrainingSpec; each edit is an undoable change of that value. Everything that
/// takes time (files, artifacts, binding) runs in tasks; the results are immutable. Its location,
/// its data and its preparation are separate parts that do not know this class: they receive the
/// current state and signal their results.
/// Thread: the GUI thread.
class StudioProject : public QObject {
    Q_OBJECT
public:
    explicit StudioProject(QObject* parent = nullptr);
    ~StudioProject() override;

    /// A project folder, a forward model (ONNX) or a specification (JSON).
    void openFile(const QString& path);
    void openLesson(const QString& name);
    /// Reads model and data again; the choices stay.
    void reload();
    /// Reads the data again if it could not be read or that was cancelled.
    void readDataAgain();
    /// Prepares training again if that failed or was cancelled.
    void prepareAgain();
    /// Closes the model without opening another.
    void closeModel();
    /// Allows the open untitled document to be deleted for good: its choices and its runs. The
    /// model stays open until another is opened or it is closed.
    void throwAway();
    /// Whether it is an untitled document in which something was trained.
    bool hasUnsavedWeights() const;

    /// The store of the project. The functions below pass it the contents to write; see there.
    ProjectStore& store() { return store_; }
    const ProjectStore& store() const { return store_; }
    /// Writes the project into its folder, if the user chose one.
    void save();
    /// Makes another folder the project's.
    void saveAs(const QString& path);
    /// Writes only the choices, as JSON.
    void saveSpec(const QString& path);
    /// Writes the project into one file to hand out; archiveSaved() reports the result.
    void saveArchive(const QString& path, bool withRuns);
    /// Writes edits into the folder, if there is one, without a signal.
    void autosave();
    /// Like autosave(), but before it returns, and with the state of the views.
    void saveNow();
    /// The folder of its runs, created if there is none yet. Throws: Error(Io).
    QString ensureFolder() { return store_.ensureFolder(spec_); }
    /// The project's name: of its folder, else of the model.
    QString name() const;

    /// The saved state of the project's views; kept beside it.
    QJsonValue view(const QString& key) const { return view_.value(key); }
    void setView(const QString& key, const QJsonValue& value) { view_.insert(key, value); }

    const std::shared_ptr<const OpSet>& ops() const { return ops_; }
    const std::shared_ptr<const LoadedModel>& model() const { return model_; }
    const std::shared_ptr<const LoadedData>& data() const { return data_.loaded(); }
    /// Null until computed for this model; may belong to older choices while isPreparing().
    const std::shared_ptr<const Preparation>& preparation() const { return preparation_.result(); }
    bool isPreparing() const { return preparation_.isPreparing(); }
    /// Why training is not prepared although nothing is under way: it failed or was cancelled.
    const Problem& preparationProblem() const { return preparation_.problem(); }
    bool isLoadingData() const { return data_.isReading(); }
    const Problem& dataProblem() const { return data_.problem(); }
    /// The lesson that the model came from.
    const std::optional<Lesson>& lesson() const { return lesson_; }
    /// Changes with every opened model, not with its edits: paths do not distinguish lessons from
    /// edits.
    int generation() const { return generation_; }

    const TrainingSpec& spec() const { return spec_; }
    /// An undoable change; nothing happens if `spec` is what it was.
    void edit(const QString& text, const TrainingSpec& spec, int mergeId = -1);
    QUndoStack* undoStack() { return &undoStack_; }
    TaskRunner* tasks() { return &tasks_; }

    /// Whether model and choices are free of errors, artifacts exist and every input is bound.
    bool isReadyToTrain() const;

signals:
    void modelChanged();
    /// A change of the model was cancelled, refused or taken back before its end: the choices are
    /// those of the open model again. Emitted after specChanged().
    void modelKept();
    void specChanged();
    /// Another model is open, not only another head: emitted after modelChanged() and
    /// specChanged().
    void opened();
    void dataChanged();
    void preparationChanged();
    /// A file was opened that belongs in the list of recent files.
    void fileOpened(const QString& path);
    /// Receivers write the state to keep into view().
    void aboutToSave();
    /// The model and its choices are about to close; the last time that all of them exist.
    void aboutToClose();
    void saved(const QString& folder);
    /// `leftOut`: data that the file only names.
    void archiveSaved(const QString& path, qint64 bytes, const QStringList& leftOut);
    /// The project was unpacked from one file and is now in a folder; that may have existed before.
    void archiveOpened(const QString& path, bool wasThere);
    /// Another folder now holds the runs.
    void folderChanged();
    /// Another program changed the open model or data.
    void fileChanged(const QString& path);
    void problemFound(const temper::ui::Problem& problem);

private:
    using Opening = std::function<OpenedProject(std::stop_token)>;

    struct Kept {
        TrainingSpec spec;
        int index = 0;  ///< in the undo stack
    };

    void connectParts();
    void openArchive(const QString& path);
    void startOpening(const QString& title, Opening open, const QString& path);
    void report(const Problem& problem);
    void adopt(OpenedProject opened, const QString& path);
    void setModel(std::shared_ptr<const LoadedModel> model);
    /// `next`: the folder of what is opened next; null: another one, or none.
    void close(const std::shared_ptr<ProjectFolder>& next = nullptr);
    void cancelReading();
    void watchFiles();
    void noticeChange(const QString& path);
    /// The current contents, with what others add to the view.
    ProjectContents contents();
    void apply(const TrainingSpec& spec);
    void reloadModel();
    void keepModel();
    void returnToModel();
    void readData();
    void dataRead();
    void schedulePreparation();
    void startPreparation();
    void prepared();

    TaskRunner tasks_;
    std::shared_ptr<const OpSet> ops_;
    std::shared_ptr<const LoadedModel> model_;
    std::optional<Lesson> lesson_;
    TrainingSpec spec_;
    QJsonObject view_;
    QUndoStack undoStack_;
    FileWatch watch_;
    ProjectStore store_;
    ProjectData data_;
    PreparationTask preparation_;
    int openTask_ = 0;
    int changeTask_ = 0;  ///< reads the model as the choices want it
    /// While the model is being changed: the choices of the open one.
    std::optional<Kept> kept_;
    int generation_ = 0;
};

}  // namespace temper::ui
