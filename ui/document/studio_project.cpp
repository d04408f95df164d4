// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/studio_project.h"

#include <QFileInfo>
#include <utility>

#include "engine/training/binding/image_input.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/projects/project_archive.h"
#include "ui/document/project_folder.h"
#include "ui/document/spec_command.h"
#include "ui/document/untitled_documents.h"

namespace temper::ui {
namespace {

constexpr int kUndoLevels = 500;

}  // namespace

StudioProject::StudioProject(QObject* parent)
    : QObject(parent),
      ops_(std::make_shared<const OpSet>(standardOps())),
      store_(tasks_),
      data_(tasks_),
      preparation_(tasks_) {
    undoStack_.setUndoLimit(kUndoLevels);
    connectParts();
}

void StudioProject::connectParts() {
    connect(&watch_, &FileWatch::changed, this, &StudioProject::noticeChange);
    connect(&store_, &ProjectStore::folderChanged, this, &StudioProject::folderChanged);
    connect(&store_, &ProjectStore::fileOpened, this, &StudioProject::fileOpened);
    connect(&store_, &ProjectStore::archiveSaved, this, &StudioProject::archiveSaved);
    connect(&store_, &ProjectStore::problemFound, this, &StudioProject::problemFound);
    connect(&store_, &ProjectStore::saved, this,
            [this](const QString& folder, const TrainingSpec& spec) {
                if (spec == spec_ && store_.hasPlace()) undoStack_.setClean();
                emit saved(folder);
            });
    connect(&store_, &ProjectStore::specSaved, this, [this](const QString& path) {
        undoStack_.setClean();
        emit fileOpened(path);
    });
    connect(&data_, &ProjectData::changed, this, &StudioProject::dataRead);
    connect(&data_, &ProjectData::problemFound, this, &StudioProject::problemFound);
    connect(&preparation_, &PreparationTask::due, this, &StudioProject::startPreparation);
    connect(&preparation_, &PreparationTask::changed, this, &StudioProject::prepared);
    connect(&preparation_, &PreparationTask::problemFound, this, &StudioProject::problemFound);
}

StudioProject::~StudioProject() = default;

void StudioProject::openFile(const QString& path) {
    if (const auto lesson = lessonOf(path.toStdString()))
        return openLesson(QString::fromStdString(*lesson));
    if (isProjectArchivePath(path.toStdString())) return openArchive(path);
    const QString title = tr("Opening %1").arg(QFileInfo(path).fileName());
    const QString project = projectFolderOf(path);
    if (project.isEmpty())
        return startOpening(
            title,
            [path, ops = ops_](std::stop_token stop) { return openSource(path, *ops, stop); },
            path);
    // The folder may be this window's own, reopened as saved.
    const auto held = project == store_.folder() ? store_.held() : nullptr;
    startOpening(
        title,
        [project, held, isScratch = store_.isScratch(project), ops = ops_](std::stop_token stop) {
            return openProject(
                held ? held : std::shared_ptr(ProjectFolder::open(project, isScratch)), *ops, stop);
        },
        project);
}

void StudioProject::openArchive(const QString& path) {
    startOpening(tr("Opening %1").arg(QFileInfo(path).fileName()),
                 [path, held = store_.held(), ops = ops_](std::stop_token stop) {
                     return openProjectArchive(path, held, *ops, stop);
                 },
                 {});
}

void StudioProject::openLesson(const QString& name) {
    startOpening(tr("Opening lesson %1").arg(name),
                 [name = name.toStdString(), ops = ops_](std::stop_token stop) {
                     return openLessonProject(name, *ops, stop);
                 },
                 {});
}

void StudioProject::startOpening(const QString& title, Opening open, const QString& path) {
    tasks_.cancel(openTask_);
    openTask_ = tasks_.letCancel(tasks_.run(
        title, tr("The file could not be opened"), std::move(open),
        [this, path](OpenedProject opened) {
            openTask_ = 0;
            adopt(std::move(opened), path);
        },
        [this](const Problem& problem) {
            openTask_ = 0;
            report(problem);
        }));
}

void StudioProject::adopt(OpenedProject opened, const QString& path) {
    close(opened.folder);
    if (opened.isEdited) undoStack_.resetClean();
    setModel(std::move(opened.model));
    lesson_ = std::move(opened.lesson);
    spec_ = std::move(opened.spec);
    view_ = std::move(opened.view);
    ++generation_;
    watchFiles();
    store_.open(std::move(opened.folder), view_);
    emit modelChanged();
    emit specChanged();
    emit this->opened();
    // Untitled documents have their own list.
    if (!path.isEmpty() && !store_.isScratch(path)) emit fileOpened(path);
    if (!opened.archive.isEmpty()) {
        emit fileOpened(store_.folder());
        emit archiveOpened(opened.archive, opened.wasUnpacked);
    }
    readData();
    startPreparation();
}

void StudioProject::setModel(std::shared_ptr<const LoadedModel> model) {
    model_ = std::move(model);
    data_.setForm(model_ ? imageFormOf(*model_->graph) : ImageForm());
}

void StudioProject::close(const std::shared_ptr<ProjectFolder>& next) {
    if (model_) emit aboutToClose();
    cancelReading();
    data_.close();
    preparation_.close();
    // An untitled document without choices and runs is only its model.
    const bool isEmpty = undoStack_.isClean() && !hasRuns(store_.folder());
    isEmpty&& store_.held() != next ? store_.discard() : store_.close();
    model_.reset();
    kept_.reset();
    lesson_.reset();
    view_ = {};
    undoStack_.clear();
    undoStack_.setClean();  // clear() does not make an unclean stack clean
}

/// Neither another model comes nor the open one in another form.
void StudioProject::cancelReading() {
    for (int* task : {&openTask_, &changeTask_}) tasks_.cancel(std::exchange(*task, 0));
}

void StudioProject::closeModel() {
    close();
    spec_ = {};
    ++generation_;
    watchFiles();
    emit folderChanged();
    emit modelChanged();
    emit specChanged();
    emit dataChanged();
    emit preparationChanged();
}

void StudioProject::throwAway() {
    undoStack_.setClean();
    store_.discard();
}

bool StudioProject::hasUnsavedWeights() const {
    return model_ && !store_.hasPlace() && hasRuns(store_.folder());
}

void StudioProject::reload() {
    if (!model_) return;
    try {
        if (!undoStack_.isClean()) ensureFolder();  // it remains the same document
    } catch (...) {
        report(problemFrom(std::current_exception(), tr("The choices could not be saved")));
    }
    emit aboutToSave();
    startOpening(tr("Reloading %1").arg(model_->title),
                 [spec = spec_, ops = ops_, folder = store_.held(), view = view_,
                  isEdited = !undoStack_.isClean()](std::stop_token stop) {
                     OpenedProject opened;
                     opened.isEdited = isEdited;
                     opened.spec = spec;
                     opened.folder = folder;
                     opened.view = view;
                     loadModelOf(opened, *ops, stop);
                     return opened;
                 },
                 {});
}

void StudioProject::watchFiles() {
    QStringList files;
    if (model_ && !lesson_) files << text(spec_.model);
    if (model_)
        for (const std::string& data : {spec_.run.data, spec_.run.evalData}) {
            const QString source = text(data);
            const qsizetype colon = source.indexOf(QLatin1Char(':'));
            const QString path = source.mid(colon + 1).section(QLatin1Char('?'), 0, 0);
            const QLatin1String lesson("lesson:");  // comes with the program
            if (!source.startsWith(lesson) && !path.startsWith(lesson)) files << path;
        }
    watch_.setFiles(files);
}

/// Data that could not be read is read again as soon as its file appears or changes.
void StudioProject::noticeChange(const QString& path) {
    if (data_.problem().isEmpty() || path == text(spec_.model)) return emit fileChanged(path);
    readDataAgain();
}

void StudioProject::readDataAgain() {
    if (data_.problem().isEmpty()) return;
    watchFiles();  // as it is from now on
    readData();
}

void StudioProject::prepareAgain() {
    if (!preparation_.problem().isEmpty()) schedulePreparation();
}

void StudioProject::edit(const QString& text, const TrainingSpec& spec, int mergeId) {
    if (spec == spec_) return;
    undoStack_.push(new SpecCommand(
        text, spec_, spec, [this](const TrainingSpec& value) { apply(value); }, mergeId));
}

void StudioProject::apply(const TrainingSpec& spec) {
    const bool otherData =
        spec.run.data != spec_.run.data || spec.run.evalData != spec_.run.evalData;
    const bool otherPreparation =
        spec.artifacts != spec_.artifacts || spec.run.binding != spec_.run.binding;
    const bool otherModel = haveOtherEdits(spec, spec_);
    if (otherModel && !kept_) kept_ = {spec_, undoStack_.index()};
    spec_ = spec;
    emit specChanged();
    if (otherData) watchFiles();
    if (otherData) readData();
    if (otherModel) return haveOtherEdits(spec_, kept_->spec) ? reloadModel() : keepModel();
    if (otherPreparation) schedulePreparation();
}

/// Reloads with the currently chosen head and names; the choices stay. Opening something else does
/// not end this before it succeeds: choices and model would no longer fit.
void StudioProject::reloadModel() {
    cancelReading();
    preparation_.awaitModel();
    changeTask_ = tasks_.letCancel(tasks_.run(
        tr("Changing the model"), tr("The model could not be changed"),
        [ops = ops_, lesson = lesson_, spec = spec_](std::stop_token stop) {
            return lesson ? loadForwardModel(*lesson, *ops, spec, stop)
                          : loadForwardModel(spec.model, *ops, spec, stop);
        },
        [this](std::shared_ptr<const LoadedModel> model) {
            changeTask_ = 0;
            kept_.reset();
            setModel(std::move(model));
            emit modelChanged();
            emit specChanged();
            startPreparation();
        },
        [this](const Problem& problem) {
            changeTask_ = 0;
            returnToModel();
            report(problem);
        }));
}

/// The open model fits the choices: nothing is read.
void StudioProject::keepModel() {
    tasks_.cancel(std::exchange(changeTask_, 0));
    kept_.reset();
    startPreparation();
    emit modelKept();
}

/// Back or forth in the undo stack; by a further step if the choices of the open model are no
/// longer in it.
void StudioProject::returnToModel() {
    const Kept kept = *kept_;
    const int index = undoStack_.index();
    undoStack_.setIndex(kept.index);
    if (spec_ == kept.spec) return;
    undoStack_.setIndex(index);
    edit(tr("Keep the model"), kept.spec);
}

void StudioProject::readData() {
    data_.read(model_ ? spec_.run.data : std::string(), spec_.run.evalData);
}

void StudioProject::dataRead() {
    emit dataChanged();
    if (data_.loaded()) schedulePreparation();
}

void StudioProject::schedulePreparation() {
    if (model_) preparation_.schedule();
}

void StudioProject::startPreparation() {
    preparation_.start({model_, ops_, data_.loaded(), spec_.artifacts, spec_.run.binding, {}});
}

void StudioProject::prepared() {
    emit preparationChanged();
    const auto& preparation = preparation_.result();
    if (preparation && preparation->artifacts) data_.readFor(preparation->target);
}

/// A cancellation is not reported: the user knows of it.
void StudioProject::report(const Problem& problem) {
    if (!problem.isCancelled) emit problemFound(problem);
}

bool StudioProject::isReadyToTrain() const {
    const auto& preparation = preparation_.result();
    if (!preparation || isPreparing() || !preparation->artifacts || !preparation->data)
        return false;
    return preparation->data == data_.loaded() && !hasErrors(preparation->proposal.findings);
}

QString StudioProject::name() const {
    const QString ofFolder = store_.name();
    return ofFolder.isEmpty() && model_ ? model_->title : ofFolder;
}

ProjectContents StudioProject::contents() {
    emit aboutToSave();
    return {spec_, view_};
}

void StudioProject::save() {
    if (store_.hasPlace()) store_.save(contents());
}

void StudioProject::saveAs(const QString& path) { store_.saveAs(path, contents()); }

void StudioProject::saveSpec(const QString& path) { store_.saveSpec(path, spec_); }

void StudioProject::saveArchive(const QString& path, bool withRuns) {
    store_.saveArchive(path, contents(), withRuns);
}

void StudioProject::autosave() {
    if (store_.held() && !undoStack_.isClean()) store_.keep(contents());
}

void StudioProject::saveNow() {
    if (!store_.held()) return;
    const ProjectContents now = contents();
    const bool isEdited = !undoStack_.isClean();
    const bool isKept = store_.keepNow(now, isEdited);
    if (!isKept && isEdited) return store_.rescue(now);
    if (isKept && store_.hasPlace()) undoStack_.setClean();
}

}  // namespace temper::ui
