// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace temper {

class RunControl;

/// What can be requested of a running job.
struct JobRequest {
    enum class Kind {
        Pause,
        Resume,
        Step,            ///< one optimizer step, then pause again
        Stop,            ///< after the current step; writes the checkpoint "last"
        StopNow,         ///< after the current step
        StopAfterEpoch,  ///< writes the checkpoint "last"
        Rate,            ///< `value` instead of the schedule's rate
        Schedule,        ///< the schedule's rate again
        Pace,            ///< at most `value` steps per second; 0: full speed
        Checkpoint,      ///< writes a checkpoint called `name` into the folder of the run
    };

    Kind kind = Kind::Pause;
    double value = 0;
    std::string name = {};

    bool isStop() const {
        return kind == Kind::Stop || kind == Kind::StopNow || kind == Kind::StopAfterEpoch;
    }
    bool operator==(const JobRequest&) const = default;
};

/// "stop-after-epoch".
std::string_view nameOf(JobRequest::Kind kind);
/// The inverse. Throws: Error(InvalidInput) naming it.
JobRequest::Kind requestKindFromName(std::string_view name);

/// {"request": "rate", "value": 0.01}, on one line.
std::string toJson(const JobRequest& request);
/// The inverse. Throws: Error(InvalidInput) naming the key, also for a rate that is not positive
/// and for a name that is not a plain file name ending with ".ckpt".
JobRequest jobRequestFromJson(std::string_view json);

/// Passes a request on to the run of this process. `checkpoints`: its folder for them.
void serve(const JobRequest& request, const std::filesystem::path& checkpoints,
           RunControl& control);

}  // namespace temper
