// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper {

/// A session's state of which each rank has only a part.
class SharedState {
public:
    virtual ~SharedState() = default;

    /// If rank 0 wants it, its state becomes whole, to be saved. All ranks call it; what the others
    /// want does not matter.
    virtual void gather(bool isWanted) = 0;
    /// Rank 0's state is a part again.
    virtual void release() = 0;
};

/// A state is whole on rank 0 while this lives.
class GatheredState {
public:
    /// `state` null: it is whole anyway.
    GatheredState(SharedState* state, bool isWanted) : state_(state) {
        if (state_ != nullptr) state_->gather(isWanted);
    }
    ~GatheredState() {
        if (state_ != nullptr) state_->release();
    }
    GatheredState(const GatheredState&) = delete;
    GatheredState& operator=(const GatheredState&) = delete;

private:
    SharedState* state_;
};

}  // namespace temper
