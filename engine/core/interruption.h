// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/core/error.h"

namespace temper {

/// Thrown by work that had to end before it was done, on request.
class Interrupted : public Error {
public:
    Interrupted();
};

/// While it lives, long work of this thread checks by `isRequested` whether to end early. Scopes
/// may be nested; any of them ends the work. Like QThread::isInterruptionRequested(), for work that
/// does not know who started it.
class InterruptionScope {
public:
    explicit InterruptionScope(std::function<bool()> isRequested);
    ~InterruptionScope();
    InterruptionScope(const InterruptionScope&) = delete;
    InterruptionScope& operator=(const InterruptionScope&) = delete;

    /// Throws: Interrupted if a scope of this thread requests it.
    static void check();

private:
    std::function<bool()> isRequested_;
    InterruptionScope* outer_;
};

}  // namespace temper
