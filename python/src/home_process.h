// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace temper::python {

/// Threads stay behind when a process is forked: what has some works in the process that made it.
class HomeProcess {
public:
    HomeProcess();

    /// Throws: Error(State) in another process, saying what can't be used: "session".
    void require(const std::string& what) const;

private:
    pid_t process_;
};

}  // namespace temper::python
