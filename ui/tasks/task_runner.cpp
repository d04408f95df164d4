// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/task_runner.h"

#include <chrono>

#include "engine/core/interruption.h"

namespace temper::ui {
namespace {

constexpr std::chrono::milliseconds kCollectInterval{10};

}  // namespace

TaskRunner::TaskRunner(QObject* parent, int threads) : QObject(parent) {
    timer_.setInterval(kCollectInterval);
    connect(&timer_, &QTimer::timeout, this, &TaskRunner::collect);
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
}

TaskRunner::~TaskRunner() {
    for (auto& [id, entry] : running_)
        if (!entry.mustFinish) entry.stop.request_stop();
    {
        const std::lock_guard lock(mutex_);
        // Cancelled jobs are no longer in the list of those running.
        std::erase_if(jobs_, [this](const Job& job) {
            const auto found = running_.find(job.id);
            return found == running_.end() || !found->second.mustFinish;
        });
        quit_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

Problem TaskRunner::cancelledProblem(const QString& title) {
    return {title, tr("Cancelled."), {}, true};
}

int TaskRunner::start(const QString& title, std::function<void()> interrupted, Work work) {
    const int id = nextId_++;
    const auto& entry =
        running_.emplace(id, Entry{title, std::move(interrupted), false, false, {}}).first->second;
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back({id, std::move(work), entry.stop.get_token()});
    }
    wake_.notify_one();
    ++outstanding_;
    timer_.start();
    emit busyChanged();
    return id;
}

void TaskRunner::loop() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return quit_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        {
            const Job job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            const InterruptionScope scope([&job] { return job.token.stop_requested(); });
            std::function<void()> deliver = job.work(job.token);
            lock.lock();
            finished_.emplace_back(job.id, std::move(deliver));
        }
    }
}

void TaskRunner::collect() {
    std::vector<std::pair<int, std::function<void()>>> finished;
    {
        const std::lock_guard lock(mutex_);
        finished.swap(finished_);
    }
    outstanding_ -= static_cast<int>(finished.size());
    if (outstanding_ == 0) timer_.stop();
    for (const auto& [id, deliver] : finished) {
        // Cancelled jobs are no longer in the list.
        if (running_.erase(id) == 0) continue;
        deliver();
        emit busyChanged();
    }
}

void TaskRunner::cancel(int id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    found->second.stop.request_stop();
    running_.erase(found);
    emit busyChanged();
}

int TaskRunner::letCancel(int id) {
    if (const auto found = running_.find(id); found != running_.end())
        found->second.canBeCancelled = true;
    emit busyChanged();
    return id;
}

int TaskRunner::mustFinish(int id) {
    if (const auto found = running_.find(id); found != running_.end())
        found->second.mustFinish = true;
    return id;
}

void TaskRunner::interrupt(int id) {
    const auto found = running_.find(id);
    if (found == running_.end()) return;
    const auto interrupted = found->second.interrupted;
    cancel(id);
    interrupted();
}

RunningTask TaskRunner::shown() const {
    RunningTask shown;
    for (const auto& [id, entry] : running_) {
        if (entry.canBeCancelled) return {id, entry.title, true};
        if (shown.id == 0) shown = {id, entry.title, false};
    }
    return shown;
}

}  // namespace temper::ui
