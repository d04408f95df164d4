// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/jobs/job_folder.h"

namespace temper {

/// What the process of a job returns if another process runs the job.
inline constexpr int kJobIsTaken = 3;

/// Starts a program in a session of its own: neither the end of a terminal nor that of the caller
/// ends it. Its output goes to a file that only its owner can read.
/// Returns: the number of the process, a child of this one.
/// Throws: Error(Io) naming the program.
pid_t startDetached(std::vector<std::string> arguments, const std::filesystem::path& output);

/// Starts `program run-job FOLDER ID`, which runs a job. Its output: JobFolder::outputOf().
/// Returns and throws: as startDetached().
pid_t startJobProcess(const std::filesystem::path& program, const JobFolder& folder, int64_t job);

}  // namespace temper
