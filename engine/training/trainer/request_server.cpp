// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/request_server.h"

#include <utility>

namespace temper {

bool RequestServer::serve() {
    decision_ = {};
    if (group_ == nullptr) return serveOwn();
    if (group_->isLeader()) {
        decision_.continues = serveOwn();
        decision_.stopsAfterEpoch = control_.stopsAfterEpoch();
        decision_.secondsTrained = reporter_.seconds() - secondsPaused_;
    }
    do {
        decide();
        if (!group_->isLeader() && decision_.saves) checkpoints_.helpToSave();
    } while (decision_.saves);
    if (!group_->isLeader() && decision_.changesRate)
        setRate(decision_.followsSchedule ? std::nullopt : std::optional(decision_.rate));
    return decision_.continues;
}

void RequestServer::decide() {
    group_->broadcast(std::as_writable_bytes(std::span<Decision>(&decision_, 1)));
}

template <typename F>
void RequestServer::save(F&& action) {
    if (group_ != nullptr && checkpoints_.isShared()) {
        const Decision kept = decision_;
        decision_.saves = true;
        decide();
        decision_ = kept;
    }
    action();
}

bool RequestServer::stopsAfterEpoch() const {
    return group_ == nullptr ? control_.stopsAfterEpoch() : decision_.stopsAfterEpoch;
}

double RequestServer::secondsTrained() const {
    return group_ == nullptr ? reporter_.seconds() - secondsPaused_ : decision_.secondsTrained;
}

void RequestServer::serveLast() {
    RunControl::Requests requests = control_.take();
    // The other ranks have left.
    if (checkpoints_.isShared()) requests.checkpoints.clear();
    apply(requests);
}

bool RequestServer::serveOwn() {
    for (;;) {
        const RunControl::Requests requests = control_.take();
        apply(requests);
        if (requests.stop) {
            decision_.savesOnStop = requests.saveOnStop;
            return false;
        }
        if (requests.mayStep) {
            if (!requests.paused) announcePause(false);
            // A single step on request is not delayed.
            if (!requests.paused && keepPace(requests.pace)) continue;
            lastStep_ = std::chrono::steady_clock::now();
            return true;
        }
        announcePause(true);
        const double waitBegin = reporter_.seconds();
        control_.waitForRequest();
        secondsPaused_ += reporter_.seconds() - waitBegin;
    }
}

bool RequestServer::keepPace(double stepsPerSecond) {
    if (!(stepsPerSecond > 0) || !lastStep_) return false;
    const std::chrono::duration<double> between(1 / stepsPerSecond);
    const auto due =
        *lastStep_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(between);
    if (std::chrono::steady_clock::now() >= due) return false;
    const double waitBegin = reporter_.seconds();
    control_.waitUntil(due);
    secondsPaused_ += reporter_.seconds() - waitBegin;
    return true;
}

void RequestServer::setRate(std::optional<double> rate) {
    const auto event = rate_.setByHand(rate, reporter_.step());
    if (event) reporter_.emit(*event);
}

void RequestServer::apply(const RunControl::Requests& requests) {
    if (requests.learningRate || requests.followSchedule) {
        setRate(requests.learningRate);
        decision_.changesRate = true;
        decision_.followsSchedule = !requests.learningRate;
        decision_.rate = requests.learningRate.value_or(0);
    }
    for (const std::filesystem::path& path : requests.checkpoints)
        save([&] { checkpoints_.saveTo(path); });
    for (const auto& task : requests.tasks) reporter_.warnOfErrors([&] { task(session_); });
}

void RequestServer::announcePause(bool paused) {
    if (std::exchange(isPauseAnnounced_, paused) == paused) return;
    if (paused) {
        reporter_.emit(PausedEvent{reporter_.step()});
        save([&] { checkpoints_.savePause(); });
    } else {
        reporter_.emit(ResumedEvent{reporter_.step()});
    }
}

}  // namespace temper
