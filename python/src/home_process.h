// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace temper::python {

/// Threads stay behind when a process is forked: what has some works in the process that made it.
class HomeProcess {
public:
    HomeProcess();

    bool isHere() const;
    /// Throws: Error(State) in another process, saying what can't be used: "session".
    void require(const char* what) const;
    /// From now on, this process is the one. Thread: any.
    void arrive();

private:
    std::atomic<unsigned> generation_;
};

}  // namespace temper::python
