// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/weights_follower.h"

#include <QPointer>
#include <algorithm>
#include <utility>

#include "engine/core/idle_priority.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

constexpr double kMinPause = 0.25;
/// Maximum share of a run's time spent on copying.
constexpr double kCopyShare = 0.01;

struct Copied {
    std::shared_ptr<const CheckpointState> state;
    double seconds = 0;
};

/// Copies without moments, so it is small. On the engine's thread, between two steps.
Copied copyState(TrainingSession& session) {
    const auto begin = std::chrono::steady_clock::now();
    auto state = std::make_shared<CheckpointState>(session.state().toFile(false));
    state->optimizerState().step = session.state().optimizerState().step;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return {std::move(state), taken.count()};
}

bool haveSameParameters(const Artifacts& a, const Artifacts& b) {
    const auto areSame = [](const std::vector<NamedTensor>& first,
                            const std::vector<NamedTensor>& second) {
        return std::ranges::equal(first, second, [](const NamedTensor& x, const NamedTensor& y) {
            return x.name == y.name && x.data.shape() == y.data.shape();
        });
    };
    return areSame(a.checkpoint.trainable, b.checkpoint.trainable) &&
           areSame(a.checkpoint.frozen, b.checkpoint.frozen);
}

}  // namespace

WeightsFollower::WeightsFollower(const PanelContext& context, QString title, QString failure,
                                 QObject* parent)
    : QObject(parent), context_(context), title_(std::move(title)), failure_(std::move(failure)) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &WeightsFollower::lookSoon);
    connect(&context_.run, &RunModel::updated, this, &WeightsFollower::markStale);
    connect(&context_.run, &RunModel::stateChanged, this, &WeightsFollower::markStale);
    // The user loaded weights, or they changed for another reason.
    connect(&context_.run, &RunModel::checkpointsChanged, this, &WeightsFollower::markStale);
    connect(&context_.controller, &RunController::sessionChanged, this,
            &WeightsFollower::markStale);
}

void WeightsFollower::setWatched(bool watched) {
    isWatched_ = watched;
    lookSoon();
}

void WeightsFollower::markStale() {
    isStale_ = true;
    lookSoon();
}

/// Starts now, or after the pause that follows the latest evaluation.
void WeightsFollower::lookSoon() {
    if (!isWatched_ || !isStale_ || isBusy_ || timer_.isActive()) return;
    const std::chrono::duration<double> passed = Clock::now() - begun_;
    const double left = pause_ - passed.count();
    if (left > 0) return timer_.start(static_cast<int>(1000 * left) + 1);
    fetch();
}

/// The session's weights, unless the chosen model has other parameters: training would then begin
/// with those.
bool WeightsFollower::usesSession() const {
    if (!context_.controller.hasSession()) return false;
    const auto& preparation = context_.project.preparation();
    return context_.run.isActive() || !preparation || !preparation->artifacts ||
           haveSameParameters(*context_.controller.artifacts(), *preparation->artifacts);
}

void WeightsFollower::fetch() {
    if (!evaluation()) return;
    const bool isOfSession = usesSession();
    const auto& preparation = context_.project.preparation();
    const auto model = isOfSession   ? context_.controller.artifacts()
                       : preparation ? preparation->artifacts
                                     : nullptr;
    if (!model) return;
    isBusy_ = true;
    isStale_ = false;
    begun_ = Clock::now();
    if (!isOfSession) return look({model, nullptr, 0});
    const QPointer<WeightsFollower> self(this);
    context_.controller.withSession(
        tr("The weights could not be read"), copyState,
        [self, model](const Copied& copied) {
            if (!self) return;
            self->copySeconds_ += copied.seconds;
            self->pause_ = std::max(kMinPause, copied.seconds / kCopyShare);
            self->look({model, copied.state, copied.state->optimizerState().step});
        },
        [self](const Problem&) {
            // The session has just been closed; its successor will signal.
            if (self) self->isBusy_ = false;
        });
}

void WeightsFollower::look(Weights weights) {
    const Evaluation evaluate = evaluation();
    if (!evaluate) {
        isBusy_ = false;
        return;
    }
    tasks_.run(
        title_, failure_,
        [evaluate, weights = std::move(weights),
         isIdle = context_.run.isActive()](const std::stop_token& stop) {
            const auto begin = Clock::now();
            Weights own = weights;
            if (!own.state)
                own.state = std::make_shared<CheckpointState>(own.artifacts->checkpoint);
            Done done;
            const auto work = [&] { done.take = evaluate(own, stop); };
            isIdle ? runAtIdlePriority(work) : work();
            done.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
            return done;
        },
        [this, generation = generation_](const Done& done) {
            isBusy_ = false;
            if (generation == generation_) finish(done);
            lookSoon();
        },
        [this, generation = generation_](const Problem& problem) {
            isBusy_ = false;
            pause_ = std::max(pause_, kMinPause);
            if (generation == generation_ && std::exchange(failed_, generation) != generation)
                emit failed(problem);
            lookSoon();
        });
}

void WeightsFollower::finish(const Done& done) {
    ++looks_;
    pause_ = context_.run.isActive() ? std::max({pause_, kMinPause, 2 * done.seconds}) : kMinPause;
    done.take();
}

}  // namespace temper::ui
