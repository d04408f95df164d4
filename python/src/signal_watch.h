// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>

#include "engine/core/interruption.h"

namespace temper::python {

/// While it lives, long work of this thread looks for signals now and then, and ends early if
/// a handler of Python raises (Ctrl+C). Only the main thread of Python handles signals.
class SignalWatch {
public:
    SignalWatch();

    /// Does the work, without the interpreter's lock. Throws: what a handler raises; or as the
    /// work does.
    template <typename Work>
    static auto during(Work&& work) {
        SignalWatch watch;
        try {
            return work();
        } catch (const Interrupted&) {
            if (watch.raised_) std::rethrow_exception(watch.raised_);
            throw;
        }
    }

private:
    bool hasRaised();

    std::chrono::steady_clock::time_point next_;  ///< when signals are looked for again
    std::exception_ptr raised_;
    InterruptionScope scope_;
};

}  // namespace temper::python
