// SPDX-License-Identifier: Apache-2.0
#include "python/src/home_process.h"

#include <unistd.h>

#include "engine/core/error.h"

namespace temper::python {

HomeProcess::HomeProcess() : process_(getpid()) {}

void HomeProcess::require(const std::string& what) const {
    if (getpid() == process_) return;
    throw Error(
        ErrorCode::State,
        "The " + what + " was made before this process was forked; its threads are not here.",
        "Make the " + what + " in the process that uses it.");
}

}  // namespace temper::python
