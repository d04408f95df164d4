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

/// A running job, as shown to the user.
struct RunningTask {
    int id = 0;
    QString title;
    bool canBeCancelled = false;
};

/// Runs jobs in the background and returns their results to the thread of this object.
///
/// A job's exception becomes a Problem. Results of cancelled jobs are dropped. The destructor
/// cancels jobs, except those that must finish, and waits for them. Results wait in a queue that a
/// timer empties while jobs are outstanding: one mutex guards everything passed between the
/// threads.
/// Thread: run() and cancel() on the owning thread only.
class TaskRunner : public QObject {
    Q_OBJECT
public:
    using Failed = std::function<void(const Problem&)>;

    /// One thread runs the jobs one after the other.
    explicit TaskRunner(QObject* parent = nullptr, int threads = 2);
    ~TaskRunner() override;

    /// `job(std::stop_token)` runs on another thread, then `done(result)` or `failed` on this
    /// thread. `title` is shown while it runs; `failure` is the title of the Problem.
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

    /// Requests the job to stop; its result is dropped.
    void cancel(int id);
    /// Allows the user to cancel the job: dropping its result leaves nothing half done. Returns:
    /// `id`.
    int letCancel(int id);
    /// Cancels it on the user's behalf: like cancel(), but calls `failed`.
    void interrupt(int id);
    /// The job writes something the user asked for: the destructor lets it run to its end, even if
    /// it has not begun. Returns: `id`.
    int mustFinish(int id);

    bool isBusy() const { return !running_.empty(); }
    /// The oldest job that the user may cancel, else the oldest; no id if nothing runs.
    RunningTask shown() const;

signals:
    void busyChanged();

private:
    /// Runs on a worker; the returned function runs on the owning thread.
    using Work = std::function<std::function<void()>(std::stop_token)>;

    struct Entry {
        QString title;
        std::function<void()> interrupted;
        bool canBeCancelled = false;
        bool mustFinish = false;
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
    int outstanding_ = 0;  ///< jobs whose results were not collected, including cancelled ones
    QTimer timer_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    std::vector<std::pair<int, std::function<void()>>> finished_;
    bool quit_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace temper::ui
