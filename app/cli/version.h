// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/runs/run_record.h"
#include "engine/training/spec/session_options.h"

namespace temper::cli {

/// "temper 0.1.0 (Release)", then one line for each library and device.
std::string versionText();

/// Version, build, libraries, device and threads, for reports.
LabelledValues environmentOfRun(const SessionOptions& session);

}  // namespace temper::cli
