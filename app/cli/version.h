// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/runs/run_record.h"
#include "engine/training/spec/session_options.h"

namespace temper::cli {

/// "temper 0.1.0 (Release)", then a line for the libraries: what all ranks of a run must have
/// alike, whatever their processors are.
std::string buildText();

/// The same, then one line for each device.
std::string versionText();

/// Version, build, libraries, device and threads, for reports.
LabelledValues environmentOfRun(const SessionOptions& session);

}  // namespace temper::cli
