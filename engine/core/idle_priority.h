// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace temper {

/// Runs `work` to its end in a thread that gets the processor only when nothing else wants it; so
/// do the threads that it starts. Its exceptions are rethrown here.
void runAtIdlePriority(const std::function<void()>& work);

}  // namespace temper
