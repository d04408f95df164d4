// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/studio_project.h"

#include <QDir>
#include <QFileInfo>

#include "engine/core/file.h"
#include "engine/training/binding/image_input.h"
#include "engine/training/edits/model_edits.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "ui/document/project_folder.h"
#include "ui/document/spec_command.h"
#include "ui/document/view_file.h"

namespace temper::ui {
namespace {

constexpr int kUndoLevels = 500;
/// Edits in a row (a wheel turned, a pattern typed) are prepared once.
constexpr std::chrono::milliseconds kPreparationDelay{120};

/// The folder of a project that is meant by itself or by its file; empty for anything else.
QString projectFolderOf(const QString& path) {
    const QFileInfo info(path);
    const QString folder = info.isDir() ? path : info.absolutePath();
    const bool named = info.isDir() || info.fileName() == QStringLiteral("project.json");
    return named && isProjectFolder(folder.toStdString()) ? QDir(folder).absolutePath() : QString();
}

}  // namespace

StudioProject::StudioProject(QObject* parent)
    : QObject(parent), ops_(std::make_shared<const OpSet>(standardOps())) {
    undoStack_.setUndoLimit(kUndoLevels);
    preparationTimer_.setSingleShot(true);
    preparationTimer_.setInterval(kPreparationDelay);
    connect(&preparationTimer_, &QTimer::timeout, this, &StudioProject::startPreparation);
    connect(&watch_, &FileWatch::changed, this, &StudioProject::fileChanged);
}

StudioProject::~StudioProject() = default;

void StudioProject::loadModelOf(Opened& opened, const OpSet& ops, const std::stop_token& stop) {
    if (const auto name = lessonOf(opened.spec.model)) {
        opened.lesson = findLesson(*name);
        opened.model = loadForwardModel(*opened.lesson, ops, opened.spec, stop);
    } else {
        opened.model = loadForwardModel(opened.spec.model, ops, opened.spec, stop);
    }
}

StudioProject::Opened StudioProject::openSource(const QString& path, const OpSet& ops,
                                                const std::stop_token& stop) {
    Opened opened;
    const std::filesystem::path file = path.toStdString();
    if (file.extension() == ".json") {
        opened.spec = trainingSpecFromJson(readFile(file));
    } else {
        opened.spec.model = file.string();
    }
    loadModelOf(opened, ops, stop);
    return opened;
}

StudioProject::Opened StudioProject::openProject(std::shared_ptr<ProjectFolder> folder,
                                                 const OpSet& ops, const std::stop_token& stop) {
    Opened opened;
    ProjectFile file = readProject(folder->path().toStdString());
    opened.folder = std::move(folder);
    opened.spec = std::move(file.spec);
    opened.view = readView(opened.folder->path());
    if (opened.view.isEmpty())  // of a version that kept it in the project's file
        for (const auto& [key, value] : file.view) opened.view.insert(text(key), text(value));
    loadModelOf(opened, ops, stop);
    return opened;
}

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
    // The folder may be this window's own, opened again as it was saved.
    const auto held = project == folder() ? folder_ : nullptr;
    const bool isScratch = !scratchRoot_.isEmpty() && project.startsWith(scratchRoot_);
    startOpening(
        title,
        [project, held, isScratch, ops = ops_](std::stop_token stop) {
            return openProject(
                held ? held : std::shared_ptr(ProjectFolder::open(project, isScratch)), *ops, stop);
        },
        project);
}

void StudioProject::openLesson(const QString& name) {
    const auto open = [name = name.toStdString(), ops = ops_](std::stop_token stop) {
        const Lesson lesson = findLesson(name);
        return Opened{loadForwardModel(lesson, *ops, {}, stop), lesson.spec, lesson};
    };
    startOpening(tr("Opening lesson %1").arg(name), open, {});
}

void StudioProject::startOpening(const QString& title, Opening open, const QString& path) {
    tasks_.cancel(openTask_);
    openTask_ = tasks_.letCancel(tasks_.run(
        title, tr("The file could not be opened"), std::move(open),
        [this, path](Opened opened) {
            openTask_ = 0;
            adopt(std::move(opened), path);
        },
        [this](const Problem& problem) {
            openTask_ = 0;
            report(problem);
        }));
}

void StudioProject::adopt(Opened opened, const QString& path) {
    close();
    if (opened.isEdited) undoStack_.resetClean();
    model_ = std::move(opened.model);
    lesson_ = std::move(opened.lesson);
    spec_ = std::move(opened.spec);
    folder_ = std::move(opened.folder);
    view_ = writtenView_ = std::move(opened.view);
    ++generation_;
    watchFiles();
    emit folderChanged();
    emit modelChanged();
    emit specChanged();
    emit this->opened();
    if (!path.isEmpty()) emit fileOpened(path);
    if (!opened.archive.isEmpty()) {
        emit fileOpened(folder());
        emit archiveOpened(opened.archive, opened.wasUnpacked);
    }
    reloadData();
    startPreparation();
}

void StudioProject::close() {
    if (model_) emit aboutToClose();
    tasks_.cancel(dataTask_);
    tasks_.cancel(lookTask_);
    tasks_.cancel(preparationTask_);
    dataTask_ = lookTask_ = preparationTask_ = 0;
    preparationTimer_.stop();
    preparing_ = false;
    model_.reset();
    data_.reset();
    preparation_.reset();
    lesson_.reset();
    folder_.reset();
    target_.reset();
    view_ = writtenView_ = {};
    dataProblem_ = {};
    readFor_ = {};
    undoStack_.clear();
}

void StudioProject::closeModel() {
    tasks_.cancel(openTask_);
    openTask_ = 0;
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

void StudioProject::reload() {
    if (!model_) return;
    emit aboutToSave();
    startOpening(tr("Reading %1 again").arg(model_->title),
                 [spec = spec_, ops = ops_, folder = folder_, view = view_,
                  isEdited = !undoStack_.isClean()](std::stop_token stop) {
                     Opened opened;
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
            const QString path = text(data);
            const qsizetype colon = path.indexOf(QLatin1Char(':'));
            files << path.mid(colon + 1).section(QLatin1Char('?'), 0, 0);
        }
    watch_.setFiles(files);
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
    spec_ = spec;
    emit specChanged();
    if (otherData) watchFiles();
    if (otherData) reloadData();
    if (otherModel) return reloadModel();
    if (otherPreparation) schedulePreparation();
}

/// With the head and the names that are chosen now; the choices stay.
void StudioProject::reloadModel() {
    tasks_.cancel(openTask_);
    tasks_.cancel(preparationTask_);
    preparation_.reset();
    preparing_ = true;
    emit preparationChanged();
    openTask_ = tasks_.letCancel(tasks_.run(
        tr("Changing the model"), tr("The model could not be changed"),
        [ops = ops_, lesson = lesson_, spec = spec_](std::stop_token stop) {
            return lesson ? loadForwardModel(*lesson, *ops, spec, stop)
                          : loadForwardModel(spec.model, *ops, spec, stop);
        },
        [this](std::shared_ptr<const LoadedModel> model) {
            openTask_ = 0;
            model_ = std::move(model);
            emit modelChanged();
            emit specChanged();
            startPreparation();
        },
        [this](const Problem& problem) {
            openTask_ = 0;
            undoStack_.undo();
            report(problem);
        }));
}

void StudioProject::reloadData() {
    tasks_.cancel(dataTask_);
    tasks_.cancel(lookTask_);
    dataTask_ = lookTask_ = 0;
    data_.reset();
    dataProblem_ = {};
    if (!spec_.run.data.empty() && model_) {
        dataTask_ = tasks_.letCancel(tasks_.run(
            tr("Reading data"), tr("The data could not be read"),
            [data = spec_.run.data, eval = spec_.run.evalData, form = imageFormOf(*model_->graph),
             target = readFor_](std::stop_token) { return loadData(data, eval, form, target); },
            [this, target = readFor_](std::shared_ptr<const LoadedData> data) {
                dataTask_ = 0;
                data_ = std::move(data);
                if (readFor_ != target && isBetterReadFor(readFor_, *data_)) return reloadData();
                emit dataChanged();
                schedulePreparation();
                lookAtSamples();
            },
            [this](const Problem& problem) {
                dataTask_ = 0;
                dataProblem_ = problem;
                emit dataChanged();
            }));
    }
    emit dataChanged();
}

/// Numbers of a table may be classes or numbers: another loss may mean the other.
void StudioProject::readAsTheLossDoes() {
    if (!preparation_ || !preparation_->artifacts || preparation_->target == readFor_) return;
    readFor_ = preparation_->target;
    if (data_ && isBetterReadFor(readFor_, *data_)) reloadData();
}

/// In the background: each of many pictures is opened. The window works with the data meanwhile.
void StudioProject::lookAtSamples() {
    if (data_->opened.spec.kind != "images") return;
    lookTask_ = tasks_.letCancel(tasks_.run(
        tr("Looking at the samples"), tr("The samples could not be looked at"),
        [data = data_](std::stop_token stop) { return findUnreadable(*data, stop); },
        [this, looked = data_](const std::vector<Finding>& findings) {
            lookTask_ = 0;
            if (findings.empty() || data_ != looked) return;
            auto known = std::make_shared<LoadedData>(*looked);
            known->findings.insert(known->findings.end(), findings.begin(), findings.end());
            data_ = std::move(known);
            emit dataChanged();
            schedulePreparation();
        },
        [this](const Problem& problem) {
            lookTask_ = 0;
            if (!problem.isCancelled) report(problem);
        }));
}

void StudioProject::schedulePreparation() {
    if (!model_) return;
    preparing_ = true;
    preparationTimer_.start();
    emit preparationChanged();
}

void StudioProject::startPreparation() {
    tasks_.cancel(preparationTask_);
    preparing_ = true;
    const PreparationRequest request{model_,      ops_, data_, spec_.artifacts, spec_.run.binding,
                                     preparation_};
    preparationTask_ = tasks_.letCancel(tasks_.run(
        tr("Preparing training"), tr("Training can't be prepared"),
        [request](std::stop_token) { return prepare(request); },
        [this](std::shared_ptr<const Preparation> preparation) {
            preparationTask_ = 0;
            preparing_ = false;
            preparation_ = std::move(preparation);
            emit preparationChanged();
            readAsTheLossDoes();
        },
        [this](const Problem& problem) {
            preparationTask_ = 0;
            preparing_ = false;
            preparation_.reset();  // of other choices
            emit preparationChanged();
            report(problem);
        }));
}

/// Whoever ended something knows that it did not come to its end.
void StudioProject::report(const Problem& problem) {
    if (!problem.isCancelled) emit problemFound(problem);
}

bool StudioProject::isReadyToTrain() const {
    if (!preparation_ || preparing_ || !preparation_->artifacts || !preparation_->data)
        return false;
    return preparation_->data == data_ && !hasErrors(preparation_->proposal.findings);
}

}  // namespace temper::ui
