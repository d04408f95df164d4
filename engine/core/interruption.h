// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/core/error.h"

namespace temper {

/// Work that was told to end before it was done.
class Interrupted : public Error {
public:
    Interrupted();
};

/// While it lives, long work of this thread asks `isRequested` whether to end early. Scopes may lie
/// within each other; any of them ends the work. As QThread::isInterruptionRequested(), for work
/// that knows nothing of who started it.
class InterruptionScope {
public:
    explicit InterruptionScope(std::function<bool()> isRequested);
    ~InterruptionScope();
    InterruptionScope(const InterruptionScope&) = delete;
    InterruptionScope& operator=(const InterruptionScope&) = delete;

    /// Throws: Interrupted if a scope of this thread asks for it.
    static void check();

private:
    std::function<bool()> isRequested_;
    InterruptionScope* outer_;
};

}  // namespace temper
