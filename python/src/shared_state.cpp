// SPDX-License-Identifier: Apache-2.0
#include "python/src/shared_state.h"

#include "engine/core/error.h"

namespace temper::python {
namespace {

thread_local const SharedState* fedState = nullptr;

/// Throws: Error(State) if this thread reads data for a run with the state.
void requireNotFeeding(const SharedState& shared) {
    if (fedState != &shared) return;
    throw Error(ErrorCode::State,
                "The data of a run tried to train the session that the run trains.",
                "Read from the session only, or train another session in the data.");
}

}  // namespace

void SharedState::arrive() {
    if (home_.isHere()) return;
    if (!mutex_.try_lock()) {
        throw Error(ErrorCode::State,
                    "A thread used the checkpoint when this process was forked, so that it may be "
                    "half changed.",
                    "Fork between steps, or load the checkpoint from a file.");
    }
    mutex_.unlock();
    waiting_ = 0;
    home_.arrive();
}

StateLock::StateLock(SharedState& shared) : shared_(shared) {
    shared_.arrive();
    if (shared_.mutex_.try_lock()) return;
    ++shared_.waiting_;
    shared_.mutex_.lock();
    --shared_.waiting_;
    ++shared_.served_;
    shared_.served_.notify_all();
}

StateLock::~StateLock() { shared_.mutex_.unlock(); }

void StateLock::passOn() {
    const int64_t waiting = shared_.waiting_;
    if (waiting == 0) return;
    int64_t served = shared_.served_;
    const int64_t enough = served + waiting;
    without([&] {
        for (; served < enough; served = shared_.served_) shared_.served_.wait(served);
    });
}

TrainingClaim::TrainingClaim(SharedState& shared)
    : lock_((requireNotFeeding(shared), shared.training_)) {}

BriefTrainingTurn::BriefTrainingTurn(SharedState& shared)
    : training_(shared.training_, std::try_to_lock), lock_(shared.mutex_, std::defer_lock) {
    if (training_ && lock_.try_lock()) return;
    if (training_) training_.unlock();
    requireNotFeeding(shared);
    const LockReleased released;  // the owner of the locks may need the interpreter
    training_.lock();
    lock_.lock();
}

FeedingScope::FeedingScope(const SharedState& shared) : outer_(fedState) { fedState = &shared; }

FeedingScope::~FeedingScope() { fedState = outer_; }

}  // namespace temper::python
