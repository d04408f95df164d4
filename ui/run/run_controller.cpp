// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_controller.h"

#include <optional>

#include "engine/training/session/run_properties.h"
#include "ui/run/attached_run.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

constexpr std::chrono::milliseconds kDrainInterval{50};

}  // namespace

struct RunController::Engine {
    std::shared_ptr<const Artifacts> artifacts;
    std::shared_ptr<CheckpointState> state;
    std::unique_ptr<TrainingSession> session;

    /// Creates the session for the request, unless it exists. Other options (precision, memory)
    /// continue with the same state.
    void prepare(const RunRequest& request) {
        const SessionOptions wanted = request.run.session;
        const bool keepsState = session && artifacts == request.artifacts && !request.startOver;
        if (keepsState && options == wanted) return;
        session.reset();
        if (!keepsState) state = std::make_shared<CheckpointState>(request.artifacts->checkpoint);
        session = std::make_unique<TrainingSession>(*request.artifacts, state, request.ops, wanted);
        artifacts = request.artifacts;
        options = wanted;
    }

    SessionOptions options;
    RollbackGuard guard;                ///< of the latest run
    std::optional<double> plannedRate;  ///< from the specification of the latest run
};

namespace {

/// Writes events to a run's journal. A journal that can't be written does not stop training: it is
/// dropped with a warning.
class JournalWriter {
public:
    explicit JournalWriter(EventQueue& events) : events_(events) {}

    /// Checkpoints go to the journal's folder if the specification names none.
    void open(const RunRequest& request, int64_t step, RunSpec& run) {
        if (!request.openJournal) return;
        guard([&] { journal_ = request.openJournal(step); }, step);
        if (journal_ && run.saveFolder.empty()) run.saveFolder = journal_->folder().string();
    }

    /// Skips the measurements of layers, which are only for display and would dominate the log.
    void write(const RunEvent& event) {
        if (std::holds_alternative<LayersEvent>(event.fact)) return;
        if (journal_) guard([&] { journal_->write(event); }, stepOf(event));
    }

private:
    template <typename F>
    void guard(F&& action, int64_t step) {
        try {
            action();
        } catch (const std::exception& error) {
            journal_.reset();
            events_.push(
                {0, WarningEvent{step, std::string("The run is not recorded: ") + error.what(),
                                 "Training continues; save a checkpoint by hand."}});
        }
    }

    EventQueue& events_;
    std::shared_ptr<RunJournal> journal_;
};

/// Controls a run in this window.
class OwnSteering : public RunSteering {
public:
    explicit OwnSteering(std::shared_ptr<RunControl> control) : control_(std::move(control)) {}

    void pause() override { control_->pause(); }
    void resume() override { control_->resume(); }
    void stepOnce() override { control_->stepOnce(); }
    void stop(StopMode mode) override {
        if (mode != StopMode::AfterEpoch) return control_->stop(mode == StopMode::Save);
        control_->stopAfterEpoch();
        control_->resume();
    }
    void setLearningRate(double learningRate) override { control_->setLearningRate(learningRate); }
    void followSchedule() override { control_->followSchedule(); }
    void setPace(double stepsPerSecond) override { control_->setPace(stepsPerSecond); }

private:
    std::shared_ptr<RunControl> control_;
};

}  // namespace

RunController::RunController(RunModel* model, QObject* parent)
    : QObject(parent), model_(model), jobRequests_(nullptr, 1), thread_([this] { loop(); }) {
    timer_.setInterval(kDrainInterval);
    connect(&timer_, &QTimer::timeout, this, &RunController::drain);
}

RunController::~RunController() {
    if (control_) control_->stop(false);
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void RunController::start(RunRequest request) {
    if (model_->isActive()) return;
    detach();
    adopt(request);
    if (request.startOver) model_->reset();
    model_->setState(RunState::Preparing);
    control_ = std::make_shared<RunControl>();
    control_->setPace(pace_);
    steering_ = std::make_unique<OwnSteering>(control_);
    events_ = std::make_shared<EventQueue>();
    timer_.start();
    postJob([control = control_, events = events_, request = std::move(request)](Engine& engine) {
        train(engine, request, *control, *events);
    });
}

void RunController::train(Engine& engine, const RunRequest& request, RunControl& control,
                          EventQueue& events) {
    JournalWriter journal(events);
    const auto report = [&](const RunEvent& event) {
        journal.write(event);
        events.push(event);
    };
    try {
        engine.prepare(request);
        RunSpec run = request.run;
        journal.open(request, engine.state->optimizerState().step, run);
        // A rate changed in the specification since then takes precedence over a manual one.
        const double planned = request.run.learningRate;
        const std::optional<double> fixed = fixedLearningRate(*engine.state);
        if (fixed && *fixed != planned && engine.plannedRate != planned) control.followSchedule();
        engine.plannedRate = planned;
        Trainer trainer(*engine.session, request.data, run, control, report);
        trainer.watchLayers();
        trainer.keepGoodState(engine.guard);
        trainer.run();
    } catch (...) {
        const Problem problem = problemFrom(std::current_exception(), {});
        EndEvent end;
        end.outcome = RunOutcome::Failed;
        end.message = problem.message.toStdString();
        end.hint = problem.hint.toStdString();
        report({0, end});
    }
}

RunSteering* RunController::steering() const {
    if (!model_->isActive()) return nullptr;
    return attached_ ? attached_.get() : steering_.get();
}

void RunController::pause() {
    if (model_->state() == RunState::Running && steering()) steering()->pause();
}

void RunController::resume() {
    if (model_->state() == RunState::Paused && steering()) steering()->resume();
}

void RunController::stepOnce() {
    if (RunSteering* run = steering()) run->stepOnce();
}

void RunController::stop(StopMode mode) {
    RunSteering* run = steering();
    if (run == nullptr) return;
    run->stop(mode);
    if (mode == StopMode::AfterEpoch) return model_->setStopsAfterEpoch(true);
    // A job may refuse it; its end says that it did not.
    if (!attached_) model_->setState(RunState::Stopping);
}

void RunController::setLearningRate(double learningRate) {
    if (RunSteering* run = steering()) run->setLearningRate(learningRate);
}

void RunController::setPace(double stepsPerSecond) {
    pace_ = stepsPerSecond;
    if (RunSteering* run = steering()) run->setPace(pace_);
}

void RunController::followSchedule() {
    if (RunSteering* run = steering()) run->followSchedule();
}

void RunController::attach(const ServerAddress& address, int64_t job) {
    clear();
    attached_ = std::make_unique<AttachedRun>(
        address, job, *model_, jobRequests_,
        [this](const Problem& problem) { emit requestFailed(problem); });
    connect(attached_.get(), &AttachedRun::lost, this, &RunController::connectionLost);
    connect(attached_.get(), &AttachedRun::found, this, &RunController::connectionFound);
    emit sessionChanged();
}

void RunController::detach() {
    if (!attached_) return;
    attached_.reset();
    emit connectionFound();  // nobody waits for it any more
    if (model_->isActive()) model_->setState(RunState::Idle);
    emit sessionChanged();
}

void RunController::rollBack(std::function<void(int64_t)> done, Failed failed) {
    if (model_->isActive()) return;
    expectDelivery();
    postJob([this, done = std::move(done), failed = std::move(failed)](Engine& engine) mutable {
        try {
            CheckpointState& state = required(engine.session.get())->state();
            const int64_t from = state.optimizerState().step;
            const RunEvent event{0, RolledBackEvent{engine.guard.rollBack(state), from}};
            deliver([this, done = std::move(done), event] {
                exportVerdict_.reset();
                emit sessionChanged();
                model_->apply({&event, 1});
                done(std::get<RolledBackEvent>(event.fact).step);
            });
        } catch (...) {
            const Problem problem =
                problemFrom(std::current_exception(), tr("The run could not be rolled back"));
            deliver([failed = std::move(failed), problem] { failed(problem); });
        }
    });
}

void RunController::clear() {
    attached_.reset();
    leaveRun();
    steering_.reset();
    control_.reset();
    events_.reset();
    hasSession_ = false;
    exportVerdict_.reset();
    artifacts_.reset();
    model_->setState(RunState::Idle);
    model_->reset();
    model_->clearCheckpoints();
    postJob([](Engine& engine) { engine = {}; });
    emit sessionChanged();
}

/// Nobody asked for the run's end: it saves its state, unless it was to stop without.
void RunController::leaveRun() {
    if (!control_ || !model_->isActive()) return;
    if (!control_->isStopping()) control_->stop();
    ++leaving_;
    expectDelivery();
    postJob([this](Engine&) {
        deliver([this] {
            --leaving_;
            emit runLeft();
        });
    });
}

void RunController::prepareSession(RunRequest request, std::function<void()> done, Failed failed) {
    adopt(request);
    expectDelivery();
    postJob([this, request = std::move(request), done = std::move(done),
             failed = std::move(failed)](Engine& engine) mutable {
        try {
            engine.prepare(request);
            deliver(std::move(done));
        } catch (...) {
            const Problem problem =
                problemFrom(std::current_exception(), tr("The session could not be created"));
            deliver([failed = std::move(failed), problem] { failed(problem); });
        }
    });
}

void RunController::adopt(const RunRequest& request) {
    artifacts_ = request.artifacts;
    hasSession_ = true;
    exportVerdict_.reset();
    emit sessionChanged();
}

void RunController::noteExport(ExportVerdict verdict) {
    exportVerdict_ = verdict;
    emit sessionChanged();
}

TrainingSession* RunController::required(TrainingSession* session) {
    if (session != nullptr) return session;
    throw Error(ErrorCode::State, "Nothing has been trained yet.",
                "Start training or load a checkpoint first.");
}

void RunController::loop() {
    Engine engine;
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return quit_ || !jobs_.empty(); });
        if (quit_) return;
        const Job job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job(engine);
        runTasks(engine.session.get());
        lock.lock();
    }
}

void RunController::postJob(Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
}

void RunController::postTask(SessionTask task) {
    {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    // Runs at whichever comes first: the end of a step, or the loop after the end of the run.
    if (control_ && model_->isActive())
        control_->atStepBorder([this](TrainingSession& session) { runTasks(&session); });
    postJob([](Engine&) {});
}

void RunController::runTasks(TrainingSession* session) {
    while (true) {
        SessionTask task;
        {
            const std::lock_guard lock(mutex_);
            if (tasks_.empty() || quit_) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task(session);
    }
}

void RunController::expectDelivery() {
    ++expected_;
    timer_.start();
}

void RunController::deliver(std::function<void()> call) {
    const std::lock_guard lock(mutex_);
    delivered_.push_back(std::move(call));
}

void RunController::drain() {
    if (const auto events = events_) model_->apply(events->drain());
    std::vector<std::function<void()>> delivered;
    {
        const std::lock_guard lock(mutex_);
        delivered.swap(delivered_);
    }
    expected_ -= static_cast<int>(delivered.size());
    // Not from here: a call may open a dialog, and the timer does not fire within its own event.
    for (auto& call : delivered)
        QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
    if (!model_->isActive() && expected_ == 0) timer_.stop();
}

}  // namespace temper::ui
