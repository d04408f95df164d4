// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "ui/project/problem.h"

namespace temper::ui {

/// Runs jobs beside the window and brings their results back to the thread of this object.
///
/// A job's exception becomes a Problem. Results of cancelled jobs are dropped. The destructor
/// cancels what runs and waits for it.
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
        return start(title, [this, failure, job = std::move(job), done = std::move(done),
                             failed = std::move(failed)](int id, std::stop_token token) mutable {
            try {
                auto result = std::make_shared<Result>(job(token));
                finish(id, [done = std::move(done), result] { done(std::move(*result)); });
            } catch (...) {
                const Problem problem = problemFrom(std::current_exception(), failure);
                finish(id, [failed = std::move(failed), problem] {
                    if (failed) failed(problem);
                });
            }
        });
    }

    /// The result, once there, is dropped; the job is asked to stop.
    void cancel(int id);
    void cancelAll();

    bool isBusy() const { return !running_.empty(); }
    /// Titles of the jobs that run, the oldest first.
    QStringList titles() const;

signals:
    void busyChanged();

private:
    struct Entry {
        QString title;
        std::stop_source stop;
    };

    int start(const QString& title, std::function<void(int, std::stop_token)> work);
    void finish(int id, std::function<void()> deliver);

    QThreadPool pool_;
    std::map<int, Entry> running_;
    int nextId_ = 1;
};

}  // namespace temper::ui
