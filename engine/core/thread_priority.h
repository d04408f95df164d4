// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace temper {

/// From here on the calling thread, and each thread that it starts, leaves the processor to others
/// that want it at the same time, most of all to those that answer a person. Where nobody does, it
/// is as fast as before. It cannot be taken back.
void yieldToInteraction();

/// Runs `work` to its end in a thread that gets the processor only when nobody else wants it, and
/// so do the threads that it starts. What it throws is thrown here.
void runAtIdlePriority(const std::function<void()>& work);

}  // namespace temper
