// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/attached_run.h"

#include <condition_variable>

#include "ui/run/run_model.h"
#include "ui/run/server_call.h"

namespace temper::ui {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDeliverInterval{50};
/// For which the server waits with an answer if there is nothing new.
constexpr milliseconds kPatience{500};
constexpr milliseconds kUntilNextTry{1000};
constexpr milliseconds kBetweenCancels{5};

/// The state that these events lead to.
RunState stateAfter(const std::vector<RunEvent>& events) {
    RunState state = RunState::Preparing;
    for (const RunEvent& event : events) {
        if (std::holds_alternative<StartedEvent>(event.fact) ||
            std::holds_alternative<ResumedEvent>(event.fact)) {
            state = RunState::Running;
        } else if (std::holds_alternative<PausedEvent>(event.fact)) {
            state = RunState::Paused;
        } else if (const auto* end = std::get_if<EndEvent>(&event.fact)) {
            state = end->outcome == RunOutcome::Finished  ? RunState::Finished
                    : end->outcome == RunOutcome::Stopped ? RunState::Stopped
                                                          : RunState::Failed;
        }
    }
    return state;
}

void sleepFor(milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

AttachedRun::AttachedRun(const ServerAddress& address, int64_t job, RunModel& model,
                         TaskRunner& requests, TaskRunner::Failed refused)
    : address_(address),
      job_(job),
      model_(model),
      requests_(requests),
      refused_(std::move(refused)),
      client_(address) {
    model_.reset();
    model_.clearCheckpoints();
    model_.setState(RunState::Preparing);
    timer_.setInterval(kDeliverInterval);
    connect(&timer_, &QTimer::timeout, this, &AttachedRun::deliver);
    timer_.start();
    thread_ = std::jthread([this](const std::stop_token& stop) {
        follow(stop);
        hasEnded_ = true;
    });
}

AttachedRun::~AttachedRun() {
    thread_.request_stop();
    // A call that was about to begin may have missed it.
    while (!hasEnded_) {
        client_.cancel();
        std::this_thread::sleep_for(kBetweenCancels);
    }
}

QString AttachedRun::lostTitle() { return tr("The job server does not answer"); }

void AttachedRun::follow(const std::stop_token& stop) {
    LogFollower follower;
    News past{true, {}};  // until all of it is here
    bool isPast = true;
    while (!stop.stop_requested()) {
        std::optional<Problem> problem;
        try {
            const int64_t before = follower.position();
            LogFollower::News news =
                client_.follow(job_, follower, isPast ? milliseconds(0) : kPatience);
            if (news.startsOver) {
                past.events.clear();
                isPast = true;
            }
            News now{false, std::move(news.events)};
            if (isPast) {
                past.events.insert(past.events.end(), now.events.begin(), now.events.end());
                isPast = follower.position() - (news.startsOver ? 0 : before) >= kLongestPiece;
                now = isPast ? News{} : std::exchange(past, News{true, {}});
            }
            const std::lock_guard lock(mutex_);
            problem_.reset();
            if (now.isWhole || !now.events.empty()) news_.push_back(std::move(now));
        } catch (...) {
            problem = problemFrom(std::current_exception(), lostTitle());
        }
        if (!problem) continue;
        {
            const std::lock_guard lock(mutex_);
            problem_ = problem;
        }
        sleepFor(kUntilNextTry, stop);
    }
}

void AttachedRun::deliver() {
    std::vector<News> news;
    std::optional<Problem> problem;
    {
        const std::lock_guard lock(mutex_);
        news.swap(news_);
        problem = problem_;
    }
    for (const News& each : news) {
        if (each.isWhole) {
            model_.restore(each.events, stateAfter(each.events));
        } else {
            model_.apply(each.events);
        }
    }
    if (problem.has_value() == isLost_) return;
    isLost_ = problem.has_value();
    if (isLost_) {
        emit lost(*problem);
    } else {
        emit found();
    }
}

void AttachedRun::request(JobRequest::Kind kind, double value) {
    requests_.mustFinish(requests_.run(
        {}, tr("The job refused the request"),
        [address = address_, job = job_,
         request = JobRequest{kind, value, {}}](const std::stop_token& stop) {
            return withServer(address, stop, [&](JobClient& client) {
                client.request(job, request);
                return true;
            });
        },
        [](bool) {}, refused_));
}

void AttachedRun::pause() { request(JobRequest::Kind::Pause); }
void AttachedRun::resume() { request(JobRequest::Kind::Resume); }
void AttachedRun::stepOnce() { request(JobRequest::Kind::Step); }
void AttachedRun::followSchedule() { request(JobRequest::Kind::Schedule); }
void AttachedRun::setPace(double stepsPerSecond) {
    request(JobRequest::Kind::Pace, stepsPerSecond);
}
void AttachedRun::setLearningRate(double learningRate) {
    request(JobRequest::Kind::Rate, learningRate);
}

void AttachedRun::stop(StopMode mode) {
    switch (mode) {
        case StopMode::Save: return request(JobRequest::Kind::Stop);
        case StopMode::Now: return request(JobRequest::Kind::StopNow);
        case StopMode::AfterEpoch: return request(JobRequest::Kind::StopAfterEpoch);
    }
}

}  // namespace temper::ui
