// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "capi/include/temper/temper.h"
#include "capi/src/names.h"
#include "engine/training/session/writable_state.h"

namespace temper::capi {

/// A checkpoint state that a checkpoint object and sessions share. Use it only in a Turn, except
/// for what never changes: the parameters' names.
class SharedState : public WritableState {
public:
    using WritableState::WritableState;

private:
    friend class Turn;
    std::recursive_mutex mutex_;  ///< what a run calls works with the state of that run
};

/// While it lives, this thread alone works with the state.
class Turn {
public:
    explicit Turn(SharedState& shared) : lock_(shared.mutex_) {}

private:
    std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace temper::capi

struct TemperCheckpoint {
    explicit TemperCheckpoint(temper::CheckpointState state);

    std::shared_ptr<temper::capi::SharedState> shared;
    temper::capi::NameList parameterNames;
    temper::capi::NameList propertyNames;  ///< as last asked for
    std::string propertyText;              ///< as last asked for
    /// What the program has views of, by name.
    std::map<std::string, temper::Tensor> viewedParameters;
    std::map<std::string, temper::Tensor> viewedGradients;
};
