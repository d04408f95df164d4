// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ui/messages/problem.h"

namespace temper::ui {

/// A job that runs, as a person is shown it.
struct RunningTask {
    int id = 0;
    QString title;
    bool canBeCancelled = false;
};

/// Runs jobs beside the window and brings their results back to the thread of this object.
///
/// A job's exception becomes a Problem. Results of cancelled jobs are dropped. The destructor
/// cancels what runs and waits for it. Results wait in a queue that a timer empties while jobs are
/// out: all that passes between the threads passes through one mutex.
/// Thread: run() and cancel() on the owning thread only.
class TaskRunner : public QObject {
    Q_OBJECT
public:
    using Failed = std::function<void(const Problem&)>;

    explicit TaskRunner(QObject* parent = nullptr);
    ~TaskRunner() override;

    /// `job(std::stop_token)` runs on another thread, then `done(result)` here, or `failed`.
    /// `title` is shown while it runs; `failure` is the title of the Problem.
    /// Returns: an id for cancel().
    template <typename Job, typename Done>
    int run(const QString& title, const QString& failure, Job job, Done done, Failed failed) {
        using Result = std::invoke_result_t<Job, std::stop_token>;
        const auto interrupted = [failed, cancelled = cancelledProblem(failure)] {
            if (failed) failed(cancelled);
        };
        return start(title, interrupted,
                     [failure, job = std::move(job), done = std::move(done),
                      failed = std::move(failed)](std::stop_token token) -> std::function<void()> {
                         try {
                             auto result = std::make_shared<Result>(job(token));
                             return [done, result] { done(std::move(*result)); };
                         } catch (...) {
                             const Problem problem = problemFrom(std::current_exception(), failure);
                             return [failed, problem] {
                                 if (failed) failed(problem);
                             };
                         }
                     });
    }

    /// The result, once there, is dropped; the job is asked to stop.
    void cancel(int id);
    /// A person may end the job: nothing is half done where its result is dropped. Returns: `id`.
    int letCancel(int id);
    /// A person ends it: as cancel(), and `failed` hears of it.
    void interrupt(int id);

    bool isBusy() const { return !running_.empty(); }
    /// The oldest of those that a person may end, else the oldest; no id where nothing runs.
    RunningTask shown() const;

signals:
    void busyChanged();

private:
    /// Runs on a worker; what it returns runs on the owning thread.
    using Work = std::function<std::function<void()>(std::stop_token)>;

    struct Entry {
        QString title;
        std::function<void()> interrupted;
        bool canBeCancelled = false;
        std::stop_source stop;
    };
    struct Job {
        int id;
        Work work;
        std::stop_token token;
    };

    static Problem cancelledProblem(const QString& title);
    int start(const QString& title, std::function<void()> interrupted, Work work);
    void loop();
    void collect();

    std::map<int, Entry> running_;
    int nextId_ = 1;
    int outstanding_ = 0;  ///< jobs whose results were not collected, cancelled ones too
    QTimer timer_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    std::vector<std::pair<int, std::function<void()>>> finished_;
    bool quit_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace temper::ui
