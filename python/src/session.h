// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/session/training_session.h"
#include "python/src/home_process.h"
#include "python/src/shared_artifacts.h"
#include "python/src/shared_state.h"

namespace temper::python {

/// A training session and the state that it changes. Calls from several threads take turns.
class Session {
public:
    /// `options`: a specification whose "run" has the session's settings, in JSON.
    Session(const SharedArtifacts& artifacts, std::shared_ptr<SharedState> state,
            const std::string& options);

    TrainingSession& engine() { return *session_; }
    SharedState& state() { return *state_; }

    /// Throws: Error(State) in a process that was forked after the session was made.
    void requireHome() const { home_.require("session"); }

    /// Computes the outputs, adds to the gradients. The results are copies. Throws: what a handler
    /// of signals raises, see SignalWatch; the next step overwrites the gradients then.
    std::vector<Tensor> trainStep(const std::vector<nb::object>& inputs);
    nb::list evalStep(const std::vector<nb::object>& inputs);
    nb::list evaluate(const std::vector<nb::object>& inputs,
                      const std::vector<std::string>& values);

    void optimizerStep();
    void lazyResetGrad();

    /// Names of the trainable parameters, in the order of the training model.
    std::vector<std::string> trainable();

private:
    std::shared_ptr<SharedState> state_;
    std::unique_ptr<TrainingSession> session_;
    HomeProcess home_;
};

}  // namespace temper::python
