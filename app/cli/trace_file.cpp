// SPDX-License-Identifier: Apache-2.0
#include "app/cli/trace_file.h"

#include <filesystem>

#include "engine/core/error.h"
#include "engine/runtime/chrome_trace.h"

namespace temper::cli {
namespace {

const std::string& requireNoFolder(const std::string& path) {
    if (!std::filesystem::is_directory(path)) return path;
    throw Error(ErrorCode::Io, "File '" + path + "' can't be written: it is a folder.",
                "Choose a file for the trace, such as trace.json.");
}

}  // namespace

TraceFile::TraceFile(const std::string& path) : file_(requireNoFolder(path)) {}

void TraceFile::write(const Profile& profile) {
    file_.write(chromeTrace(profile));
    file_.commit();
}

}  // namespace temper::cli
