// SPDX-License-Identifier: Apache-2.0
#include "python/src/signal_watch.h"

#include "python/src/bindings.h"
#include "python/src/interpreter.h"

namespace temper::python {
namespace {

constexpr std::chrono::milliseconds kPause{100};

}  // namespace

SignalWatch::SignalWatch()
    : next_(std::chrono::steady_clock::now() + kPause), scope_([this] { return hasRaised(); }) {}

bool SignalWatch::hasRaised() {
    const auto now = std::chrono::steady_clock::now();
    if (raised_ || now < next_) return raised_ != nullptr;
    next_ = now + kPause;
    const LockAcquired interpreter;
    if (PyErr_CheckSignals() == 0) return false;
    raised_ = std::make_exception_ptr(nb::python_error());
    return true;
}

}  // namespace temper::python
