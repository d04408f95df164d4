// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/project_data.h"

#include "ui/tasks/task_runner.h"

namespace temper::ui {

ProjectData::ProjectData(TaskRunner& tasks, QObject* parent) : QObject(parent), tasks_(tasks) {}

void ProjectData::read(const std::string& training, const std::string& evaluation) {
    training_ = training;
    evaluation_ = evaluation;
    start();
}

void ProjectData::readFor(const TargetForm& target) {
    if (target == target_) return;
    target_ = target;
    if (loaded_ && isBetterReadFor(target_, *loaded_)) start();
}

void ProjectData::close() {
    forget();
    target_ = {};
}

void ProjectData::forget() {
    tasks_.cancel(task_);
    tasks_.cancel(lookTask_);
    task_ = lookTask_ = 0;
    loaded_.reset();
    problem_ = {};
}

void ProjectData::start() {
    forget();
    if (!training_.empty()) {
        task_ = tasks_.letCancel(tasks_.run(
            tr("Reading data"), tr("The data could not be read"),
            [training = training_, evaluation = evaluation_, form = form_, target = target_](
                std::stop_token) { return loadData(training, evaluation, form, target); },
            [this, target = target_](std::shared_ptr<const LoadedData> data) {
                adopt(std::move(data), target);
            },
            [this](const Problem& problem) {
                task_ = 0;
                problem_ = problem;
                emit changed();
            }));
    }
    emit changed();
}

void ProjectData::adopt(std::shared_ptr<const LoadedData> data, const TargetForm& readFor) {
    task_ = 0;
    loaded_ = std::move(data);
    if (target_ != readFor && isBetterReadFor(target_, *loaded_)) return start();
    emit changed();
    lookAtSamples();
}

/// Runs in the background, as each of many pictures is opened. The window uses the data meanwhile.
void ProjectData::lookAtSamples() {
    if (loaded_->opened.spec.kind != "images") return;
    lookTask_ = tasks_.letCancel(tasks_.run(
        tr("Checking the samples"), tr("The samples could not be checked"),
        [data = loaded_](std::stop_token stop) { return findUnreadable(*data, stop); },
        [this, looked = loaded_](const std::vector<Finding>& findings) {
            addFindings(looked, findings);
        },
        [this](const Problem& problem) {
            lookTask_ = 0;
            if (!problem.isCancelled) emit problemFound(problem);
        }));
}

void ProjectData::addFindings(const std::shared_ptr<const LoadedData>& looked,
                              const std::vector<Finding>& findings) {
    lookTask_ = 0;
    if (findings.empty() || loaded_ != looked) return;
    auto known = std::make_shared<LoadedData>(*looked);
    known->findings.insert(known->findings.end(), findings.begin(), findings.end());
    loaded_ = std::move(known);
    emit changed();
}

}  // namespace temper::ui
