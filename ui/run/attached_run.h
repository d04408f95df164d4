// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/jobs/job_client.h"
#include "engine/runs/run_event.h"
#include "ui/messages/problem.h"
#include "ui/run/run_steering.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

class RunModel;

/// Shows a job of a server in a RunModel, as if it trained in this window, and controls it. What it
/// did before comes at once, the rest as it happens; if the connection is lost, nothing is missing
/// afterwards. The end of this object leaves the job alone. Thread: the GUI thread.
class AttachedRun : public QObject, public RunSteering {
    Q_OBJECT
public:
    /// The model and the requests outlive it: what was requested is sent even after its end.
    /// `refused` hears of a request that fails, also then.
    AttachedRun(const ServerAddress& address, int64_t job, RunModel& model, TaskRunner& requests,
                TaskRunner::Failed refused);
    ~AttachedRun() override;

    int64_t job() const { return job_; }
    /// Of the Problem in lost().
    static QString lostTitle();

    void pause() override;
    void resume() override;
    void stepOnce() override;
    void stop(StopMode mode) override;
    void setLearningRate(double learningRate) override;
    void followSchedule() override;
    void setPace(double stepsPerSecond) override;

signals:
    /// The server does not answer; it is asked again and again.
    void lost(const temper::ui::Problem& problem);
    void found();

private:
    /// What the thread has received.
    struct News {
        bool isWhole = false;  ///< all events so far, instead of those that are shown
        std::vector<RunEvent> events;
    };

    void follow(const std::stop_token& stop);
    void deliver();
    void request(JobRequest::Kind kind, double value = 0);

    const ServerAddress address_;
    const int64_t job_;
    RunModel& model_;
    TaskRunner& requests_;
    TaskRunner::Failed refused_;
    JobClient client_;  ///< of the thread
    QTimer timer_;
    bool isLost_ = false;

    std::mutex mutex_;
    std::vector<News> news_;
    std::optional<Problem> problem_;  ///< why the server does not answer; empty: it does
    std::atomic<bool> hasEnded_ = false;
    std::jthread thread_;
};

}  // namespace temper::ui
