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
            return true;
        }
        announcePause(true);
        const double waitBegin = reporter_.seconds();
        control_.waitForRequest();
        secondsPaused_ += reporter_.seconds() - waitBegin;
    }
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
