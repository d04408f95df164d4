// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/src/bindings.h"

namespace temper::python {

/// While it lives, this thread does not hold the interpreter's lock. As nb::gil_scoped_release, but
/// a thread that still computes when the interpreter ends waits for the end of the process: Python
/// would unwind its stack, which C++ answers with an abort.
class LockReleased {
public:
    LockReleased();
    ~LockReleased();
    LockReleased(const LockReleased&) = delete;
    LockReleased& operator=(const LockReleased&) = delete;

private:
    PyThreadState* state_;
};

/// While it lives, this thread holds the interpreter's lock. As nb::gil_scoped_acquire, with the
/// same difference. Thread: any.
class LockAcquired {
public:
    LockAcquired();
    ~LockAcquired();
    LockAcquired(const LockAcquired&) = delete;
    LockAcquired& operator=(const LockAcquired&) = delete;

private:
    PyGILState_STATE state_;
    bool wasReleased_;
};

/// Registers what the difference needs with Python's `atexit`.
void watchEndOfInterpreter();

}  // namespace temper::python
