// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "capi/include/temper/temper.h"
#include "capi/src/arrays.h"
#include "capi/src/checkpoint.h"
#include "capi/src/names.h"
#include "engine/training/session/training_session.h"

/// A training session and the state that it changes. Calls from several threads take turns.
struct TemperSession {
    TemperSession(const temper::Artifacts& artifacts,
                  std::shared_ptr<temper::capi::SharedState> state,
                  const temper::SessionOptions& options);

    std::shared_ptr<temper::capi::SharedState> shared;
    std::unique_ptr<temper::TrainingSession> engine;  ///< null: closed
    temper::capi::NameList inputs[2];                 ///< of the eval model, of the training model
    temper::capi::NameList outputs[2];
    temper::capi::HeldTensors results;
};

namespace temper::capi {

/// The engine's session, in this thread's turn.
class OpenSession {
public:
    /// Throws: Error(InvalidInput) if it is null, Error(State) if it is closed.
    explicit OpenSession(TemperSession* session);

    TemperSession& object() { return object_; }
    TrainingSession& operator*() { return *object_.engine; }
    TrainingSession* operator->() { return object_.engine.get(); }

private:
    TemperSession& object_;
    Turn turn_;
};

}  // namespace temper::capi
