// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper::python {

/// Threads stay behind when a process is forked: what has some works in the process that made it.
class HomeProcess {
public:
    HomeProcess();

    /// Throws: Error(State) in another process, saying what can't be used: "session".
    void require(const char* what) const;

private:
    unsigned generation_;
};

}  // namespace temper::python
