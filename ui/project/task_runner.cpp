// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/project/task_runner.h"

#include <QStringList>

namespace temper::ui {

TaskRunner::TaskRunner(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(2); }

TaskRunner::~TaskRunner() {
    for (auto& [id, entry] : running_) entry.stop.request_stop();
    pool_.waitForDone();
}

int TaskRunner::start(const QString& title, std::function<void(int, std::stop_token)> work) {
    const int id = nextId_++;
    const auto& entry = running_.emplace(id, Entry{title, {}}).first->second;
    pool_.start([work = std::move(work), id, token = entry.stop.get_token()] { work(id, token); });
    emit busyChanged();
    return id;
}

void TaskRunner::finish(int id, std::function<void()> deliver) {
    // Runs on the worker; the queued call is dropped with this object.
    QMetaObject::invokeMethod(
        this,
        [this, id, deliver = std::move(deliver)] {
            const auto found = running_.find(id);
            if (found == running_.end()) return;
            running_.erase(found);
            deliver();
            emit busyChanged();
        },
        Qt::QueuedConnection);
}

void TaskRunner::cancel(int id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    found->second.stop.request_stop();
    running_.erase(found);
    emit busyChanged();
}

void TaskRunner::cancelAll() {
    if (running_.empty()) return;
    for (auto& [id, entry] : running_) entry.stop.request_stop();
    running_.clear();
    emit busyChanged();
}

QStringList TaskRunner::titles() const {
    QStringList titles;
    for (const auto& [id, entry] : running_) titles << entry.title;
    return titles;
}

}  // namespace temper::ui
