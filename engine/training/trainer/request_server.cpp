// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/request_server.h"

#include <utility>

namespace temper {

bool RequestServer::serve() {
    for (;;) {
        const RunControl::Requests requests = control_.take();
        apply(requests);
        if (requests.stop) {
            savesOnStop_ = requests.saveOnStop;
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

void RequestServer::apply(const RunControl::Requests& requests) {
    if (requests.learningRate || requests.followSchedule) {
        const auto event = rate_.setByHand(requests.learningRate, reporter_.step());
        if (event) reporter_.emit(*event);
    }
    for (const std::filesystem::path& path : requests.checkpoints) checkpoints_.saveTo(path);
    for (const auto& task : requests.tasks) reporter_.warnOfErrors([&] { task(session_); });
}

void RequestServer::announcePause(bool paused) {
    if (std::exchange(isPauseAnnounced_, paused) == paused) return;
    if (paused) {
        reporter_.emit(PausedEvent{reporter_.step()});
        checkpoints_.savePause();
    } else {
        reporter_.emit(ResumedEvent{reporter_.step()});
    }
}

}  // namespace temper
