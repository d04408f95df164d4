// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/preparation_task.h"

#include <chrono>

#include "ui/tasks/task_runner.h"

namespace temper::ui {
namespace {

/// Consecutive edits (a wheel turned, a pattern typed) are prepared once.
constexpr std::chrono::milliseconds kPreparationDelay{120};

}  // namespace

PreparationTask::PreparationTask(TaskRunner& tasks, QObject* parent)
    : QObject(parent), tasks_(tasks) {
    timer_.setSingleShot(true);
    timer_.setInterval(kPreparationDelay);
    connect(&timer_, &QTimer::timeout, this, &PreparationTask::due);
}

void PreparationTask::schedule() {
    isPreparing_ = true;
    problem_ = {};
    timer_.start();
    emit changed();
}

void PreparationTask::start(PreparationRequest request) {
    tasks_.cancel(task_);
    isPreparing_ = true;
    problem_ = {};
    request.previous = result_;
    task_ = tasks_.letCancel(tasks_.run(
        tr("Preparing training"), tr("Training can't be prepared"),
        [request = std::move(request)](std::stop_token) { return prepare(request); },
        [this](std::shared_ptr<const Preparation> result) { end(std::move(result), {}); },
        [this](const Problem& problem) {
            end(nullptr, problem);  // the old result is of other choices
            if (!problem.isCancelled) emit problemFound(problem);
        }));
}

void PreparationTask::end(std::shared_ptr<const Preparation> result, const Problem& problem) {
    task_ = 0;
    isPreparing_ = false;
    result_ = std::move(result);
    problem_ = problem;
    emit changed();
}

void PreparationTask::awaitModel() {
    tasks_.cancel(task_);
    result_.reset();
    problem_ = {};
    isPreparing_ = true;
    emit changed();
}

void PreparationTask::close() {
    tasks_.cancel(task_);
    task_ = 0;
    timer_.stop();
    isPreparing_ = false;
    result_.reset();
    problem_ = {};
}

}  // namespace temper::ui
