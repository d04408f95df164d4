// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/plane/plane_follower.h"

#include <QPointer>
#include <algorithm>

#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"

namespace temper::ui {
namespace {

constexpr double kMinPause = 0.25;
/// Maximum share of a run's time spent on copying.
constexpr double kCopyShare = 0.01;
/// Cells in each direction: fewer while the model changes.
constexpr int kSideWhileTraining = 96;
constexpr int kSide = 192;

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

}  // namespace

PlaneFollower::PlaneFollower(const PanelContext& context, QObject* parent)
    : QObject(parent), context_(context) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &PlaneFollower::lookSoon);
    connect(&context_.run, &RunModel::updated, this, &PlaneFollower::markStale);
    connect(&context_.run, &RunModel::stateChanged, this, &PlaneFollower::markStale);
    // The user loaded weights, or they changed for another reason.
    connect(&context_.run, &RunModel::checkpointsChanged, this, &PlaneFollower::markStale);
    connect(&context_.controller, &RunController::sessionChanged, this, &PlaneFollower::markStale);
    for (const auto signal : {&StudioProject::preparationChanged, &StudioProject::dataChanged,
                              &StudioProject::modelChanged})
        connect(&context_.project, signal, this, &PlaneFollower::refreshAvailability);
    refreshAvailability();
}

void PlaneFollower::refreshAvailability() {
    const auto& preparation = context_.project.preparation();
    std::optional<PlaneColumns> columns;
    if (preparation) columns = planeColumns(*preparation);
    const auto source = preparation ? preparation->data : nullptr;
    const bool changes = columns.has_value() != columns_.has_value();
    if (columns != columns_ || source != source_) {
        columns_ = columns;
        source_ = source;
        forget();
    }
    if (changes) emit availabilityChanged();
    markStale();
}

void PlaneFollower::forget() {
    ++generation_;
    data_.reset();
    latest_.reset();
    range_.reset();
    emit looked();
}

void PlaneFollower::setWatched(bool watched) {
    isWatched_ = watched;
    lookSoon();
}

void PlaneFollower::setRange(const std::optional<PlaneRange>& range) {
    if (range == range_) return;
    range_ = range;
    markStale();
}

void PlaneFollower::markStale() {
    isStale_ = true;
    lookSoon();
}

/// Starts now, or after the pause that follows the latest evaluation.
void PlaneFollower::lookSoon() {
    if (!isWatched_ || !isStale_ || isBusy_ || !isAvailable() || timer_.isActive()) return;
    const std::chrono::duration<double> passed = Clock::now() - begun_;
    const double left = pause_ - passed.count();
    if (left > 0) return timer_.start(static_cast<int>(1000 * left) + 1);
    fetch();
}

std::shared_ptr<const Artifacts> PlaneFollower::artifacts() const {
    if (context_.controller.hasSession()) return context_.controller.artifacts();
    const auto& preparation = context_.project.preparation();
    return preparation ? preparation->artifacts : nullptr;
}

void PlaneFollower::fetch() {
    const auto model = artifacts();
    if (!model) return;
    isBusy_ = true;
    isStale_ = false;
    begun_ = Clock::now();
    if (!context_.controller.hasSession()) return look({model, nullptr, 0});
    const QPointer<PlaneFollower> self(this);
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

void PlaneFollower::look(Weights weights) {
    if (!columns_ || !source_) {
        isBusy_ = false;
        return;
    }
    const bool isActive = context_.run.isActive();
    PlaneRequest request{
        std::move(weights), context_.project.ops(), source_, *columns_, data_, range_};
    request.side = isActive ? kSideWhileTraining : kSide;
    request.isIdle = isActive;
    tasks_.run(
        tr("Computing the plane"), tr("The plane can't be shown"),
        [request](std::stop_token stop) {
            PlaneRequest own = request;
            if (!own.weights.state)
                own.weights.state =
                    std::make_shared<CheckpointState>(own.weights.artifacts->checkpoint);
            return lookAtPlane(own, stop);
        },
        [this, generation = generation_](std::shared_ptr<const PlaneLook> done) {
            isBusy_ = false;
            if (generation == generation_) take(std::move(done));
            lookSoon();
        },
        [this, generation = generation_](const Problem& problem) {
            isBusy_ = false;
            pause_ = std::max(pause_, kMinPause);
            if (generation == generation_) emit failed(problem);
            lookSoon();
        });
}

void PlaneFollower::take(std::shared_ptr<const PlaneLook> look) {
    ++looks_;
    data_ = look->data;
    pause_ = std::max({pause_, kMinPause, 2 * look->seconds});
    if (!context_.run.isActive()) pause_ = kMinPause;
    latest_ = std::move(look);
    emit looked();
}

}  // namespace temper::ui
