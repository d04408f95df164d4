// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "engine/jobs/job_client.h"
#include "engine/runs/run_journal.h"
#include "engine/training/artifacts/artifacts.h"
#include "engine/training/session/training_session.h"
#include "engine/training/trainer/trainer.h"
#include "ui/messages/problem.h"
#include "ui/run/event_queue.h"
#include "ui/run/run_steering.h"
#include "ui/run/verified_export.h"
#include "ui/tasks/task_runner.h"

namespace temper::ui {

class AttachedRun;
class RunModel;

/// The input of a run; immutable, shared between the threads.
struct RunRequest {
    std::shared_ptr<const Artifacts> artifacts;
    std::shared_ptr<const OpSet> ops;
    TrainerData data;
    RunSpec run;
    /// Creates the journal of the run, on the engine's thread, when the state has done `step`
    /// optimizer steps; empty: no journal.
    std::function<std::shared_ptr<RunJournal>(int64_t step)> openJournal;
    bool startOver = true;  ///< begin from the artifacts' checkpoint, not from the session's state
};

/// Owns the engine's thread. The session, its state and the trainer live only there; the window
/// sees RunEvents (drained 20 times a second into a RunModel) and copies.
/// Thread: the GUI thread.
class RunController : public QObject {
    Q_OBJECT
public:
    explicit RunController(RunModel* model, QObject* parent = nullptr);
    /// Stops the run after the current step and waits for it.
    ~RunController() override;

    void start(RunRequest request);
    void pause();
    void resume();
    void stepOnce();
    void stop(StopMode mode = StopMode::Save);
    /// Sets a manual rate instead of the schedule's, from the next step on.
    void setLearningRate(double learningRate);
    /// At most this many steps per second, for this run and those after it; 0: full speed.
    void setPace(double stepsPerSecond);
    double pace() const { return pace_; }
    void followSchedule();

    /// Shows and controls a job of a server from now on, until another model is open or a run is
    /// started here. Drops the trained state.
    void attach(const ServerAddress& address, int64_t job);
    /// Leaves the job, which continues.
    void detach();
    /// The job that is shown; null without one.
    const AttachedRun* attached() const { return attached_.get(); }

    /// Whether there is a trained state: from a run, or loaded from a file.
    bool hasSession() const { return hasSession_; }
    /// How a file that was exported compares with the model; none after a change of the weights.
    const std::optional<ExportVerdict>& exportVerdict() const { return exportVerdict_; }
    void noteExport(ExportVerdict verdict);
    /// Artifacts of the session; null without one.
    const std::shared_ptr<const Artifacts>& artifacts() const { return artifacts_; }
    /// Drops session, state, curves and checkpoints. A run ends like with stop(), but unseen:
    /// runLeft() says when it has saved its state.
    void clear();
    /// Whether a run that clear() stopped is still writing.
    bool isLeavingRun() const { return leaving_ > 0; }

    using Failed = std::function<void(const Problem&)>;
    /// Runs `task(TrainingSession&)` on the engine's thread: between two steps of a run, or at
    /// once. Then calls `done(result)` or `failed` on this thread, from the event loop; neither
    /// after this object's destruction.
    template <typename Task, typename Done>
    void withSession(const QString& failure, Task task, Done done, Failed failed) {
        using Result = std::invoke_result_t<Task, TrainingSession&>;
        expectDelivery();
        postTask([this, failure, task = std::move(task), done = std::move(done),
                  failed = std::move(failed)](TrainingSession* session) mutable {
            try {
                auto result = std::make_shared<Result>(task(*required(session)));
                deliver([done = std::move(done), result] { done(std::move(*result)); });
            } catch (...) {
                const Problem problem = problemFrom(std::current_exception(), failure);
                deliver([failed = std::move(failed), problem] {
                    if (failed) failed(problem);
                });
            }
        });
    }
    /// Like withSession(), but creates a session from the request if there is none or if `request`
    /// has other artifacts.
    void prepareSession(RunRequest request, std::function<void()> done, Failed failed);

    /// Restores the latest good state of the failed run, including its curves. Then calls
    /// `done(step)`.
    void rollBack(std::function<void(int64_t)> done, Failed failed);

signals:
    void sessionChanged();
    /// A run that clear() stopped has ended.
    void runLeft();
    /// The job server does not answer; it is asked again and again.
    void connectionLost(const temper::ui::Problem& problem);
    void connectionFound();
    /// A job that is or was attached has refused a request.
    void requestFailed(const temper::ui::Problem& problem);

private:
    struct Engine;  ///< objects on the engine's thread
    using Job = std::function<void(Engine&)>;
    using SessionTask = std::function<void(TrainingSession*)>;

    static TrainingSession* required(TrainingSession* session);
    void loop();
    void postJob(Job job);
    void postTask(SessionTask task);
    /// Runs all waiting tasks; on the engine's thread.
    void runTasks(TrainingSession* session);
    /// Announces a call of deliver(): the timer runs until it arrives.
    void expectDelivery();
    /// Passes a call from the engine's thread to the next drain().
    void deliver(std::function<void()> call);
    static void train(Engine& engine, const RunRequest& request, RunControl& control,
                      EventQueue& events);
    void drain();
    void leaveRun();
    /// Of the active run; null without one.
    RunSteering* steering() const;
    void adopt(const RunRequest& request);

    RunModel* model_;
    std::shared_ptr<EventQueue> events_;  ///< of the latest run
    QTimer timer_;
    int expected_ = 0;  ///< pending deliveries; GUI thread
    int leaving_ = 0;   ///< runs that clear() stopped and that have not ended yet; GUI thread
    std::shared_ptr<const Artifacts> artifacts_;
    bool hasSession_ = false;
    std::optional<ExportVerdict> exportVerdict_;
    double pace_ = 0;
    std::shared_ptr<RunControl> control_;    ///< of the active run in this window; GUI thread
    std::unique_ptr<RunSteering> steering_;  ///< by way of control_
    TaskRunner jobRequests_;                 ///< in their order; also of jobs that were left
    std::unique_ptr<AttachedRun> attached_;

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;
    std::deque<SessionTask> tasks_;
    std::vector<std::function<void()>> delivered_;
    bool quit_ = false;
    std::thread thread_;
};

}  // namespace temper::ui
