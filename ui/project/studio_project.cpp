// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/studio_project.h"

#include <QFileInfo>

#include "engine/core/file.h"
#include "engine/training/image_input.h"
#include "ui/project/spec_command.h"

namespace temper::ui {
namespace {

constexpr int kUndoLevels = 500;
/// Edits in a row (a wheel turned, a pattern typed) are prepared once.
constexpr std::chrono::milliseconds kPreparationDelay{120};
constexpr std::string_view kLessonScheme = "lesson:";

/// "lesson:digits/model.onnx" names the lesson "digits".
std::optional<std::string> lessonOf(const std::string& modelPath) {
    if (!modelPath.starts_with(kLessonScheme)) return std::nullopt;
    const std::string rest = modelPath.substr(kLessonScheme.size());
    return rest.substr(0, rest.find('/'));
}

}  // namespace

StudioProject::StudioProject(QObject* parent)
    : QObject(parent), ops_(std::make_shared<const OpSet>(standardOps())) {
    undoStack_.setUndoLimit(kUndoLevels);
    preparationTimer_.setSingleShot(true);
    preparationTimer_.setInterval(kPreparationDelay);
    connect(&preparationTimer_, &QTimer::timeout, this, &StudioProject::startPreparation);
}

StudioProject::Opened StudioProject::openSource(const QString& path, const OpSet& ops) {
    Opened opened;
    const std::filesystem::path file = path.toStdString();
    if (file.extension() == ".json") {
        opened.spec = trainingSpecFromJson(readFile(file));
    } else {
        opened.spec.model = file.string();
    }
    if (const auto name = lessonOf(opened.spec.model)) {
        opened.lesson = findLesson(*name);
        opened.model = loadForwardModel(*opened.lesson, ops);
    } else {
        opened.model = loadForwardModel(opened.spec.model, ops);
    }
    return opened;
}

void StudioProject::openFile(const QString& path) {
    startOpening(
        tr("Opening %1").arg(QFileInfo(path).fileName()),
        [path, ops = ops_] { return openSource(path, *ops); }, path);
}

void StudioProject::openLesson(const QString& name) {
    const auto open = [name = name.toStdString(), ops = ops_] {
        const Lesson lesson = findLesson(name);
        return Opened{loadForwardModel(lesson, *ops), lesson.spec, lesson};
    };
    startOpening(tr("Opening lesson %1").arg(name), open, {});
}

void StudioProject::startOpening(const QString& title, std::function<Opened()> open,
                                 const QString& path) {
    tasks_.cancel(openTask_);
    openTask_ = tasks_.run(
        title, tr("The file could not be opened"),
        [open = std::move(open)](std::stop_token) { return open(); },
        [this, path](Opened opened) {
            openTask_ = 0;
            adopt(std::move(opened), path);
        },
        [this](const Problem& problem) {
            openTask_ = 0;
            emit problemFound(problem);
        });
}

void StudioProject::adopt(Opened opened, const QString& path) {
    close();
    model_ = std::move(opened.model);
    lesson_ = std::move(opened.lesson);
    spec_ = std::move(opened.spec);
    ++generation_;
    emit modelChanged();
    emit specChanged();
    if (!path.isEmpty()) emit fileOpened(path);
    reloadData();
    startPreparation();
}

void StudioProject::close() {
    tasks_.cancel(dataTask_);
    tasks_.cancel(preparationTask_);
    dataTask_ = preparationTask_ = 0;
    preparationTimer_.stop();
    preparing_ = false;
    model_.reset();
    data_.reset();
    preparation_.reset();
    lesson_.reset();
    dataProblem_ = {};
    undoStack_.clear();
}

void StudioProject::saveSpec(const QString& path) {
    tasks_.run(
        tr("Saving"), tr("The project could not be saved"),
        [json = toJson(spec_), file = path.toStdString()](std::stop_token) {
            writeFileAtomically(file, json);
            return true;
        },
        [this, path](bool) {
            undoStack_.setClean();
            emit fileOpened(path);
        },
        [this](const Problem& problem) { emit problemFound(problem); });
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
    spec_ = spec;
    emit specChanged();
    if (otherData) reloadData();
    if (otherPreparation) schedulePreparation();
}

void StudioProject::reloadData() {
    tasks_.cancel(dataTask_);
    dataTask_ = 0;
    data_.reset();
    dataProblem_ = {};
    if (!spec_.run.data.empty() && model_) {
        dataTask_ = tasks_.run(
            tr("Reading data"), tr("The data could not be read"),
            [data = spec_.run.data, eval = spec_.run.evalData,
             form = imageFormOf(*model_->graph)](std::stop_token) {
                return loadData(data, eval, form);
            },
            [this](std::shared_ptr<const LoadedData> data) {
                dataTask_ = 0;
                data_ = std::move(data);
                emit dataChanged();
                schedulePreparation();
            },
            [this](const Problem& problem) {
                dataTask_ = 0;
                dataProblem_ = problem;
                emit dataChanged();
            });
    }
    emit dataChanged();
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
    preparationTask_ = tasks_.run(
        tr("Preparing training"), tr("Training can't be prepared"),
        [request](std::stop_token) { return prepare(request); },
        [this](std::shared_ptr<const Preparation> preparation) {
            preparationTask_ = 0;
            preparing_ = false;
            preparation_ = std::move(preparation);
            emit preparationChanged();
        },
        [this](const Problem& problem) {
            preparationTask_ = 0;
            preparing_ = false;
            emit problemFound(problem);
        });
}

bool StudioProject::isReadyToTrain() const {
    if (!preparation_ || preparing_ || !preparation_->artifacts || !preparation_->data)
        return false;
    return preparation_->data == data_ && !hasErrors(preparation_->proposal.findings);
}

}  // namespace temper::ui
