// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace temper {

/// Runs `work` to its end in a thread that gets the processor only when nobody else wants it, and
/// so do the threads that it starts. What it throws is thrown here.
void runAtIdlePriority(const std::function<void()>& work);

}  // namespace temper
