// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "engine/jobs/job_client.h"

namespace temper::cli {

inline constexpr int kMaxPort = 65535;

/// Which job server a command talks to: that of --folder, or the one that --socket or --port leads
/// to, with --token.
struct ServerOptions {
    std::string folder;  ///< empty: the standard one
    std::string socket;  ///< empty: none
    int port = 0;        ///< 0: none
    std::string token;   ///< a file; empty: that in the folder

    void addTo(CLI::App& command);
    /// Throws: Error(NotFound) if no server has run in the folder.
    ServerAddress address() const;
};

/// The folder of a server: the given one, or the standard one. Throws: as JobFolder.
std::filesystem::path jobFolderOf(const std::string& given);

/// Adds --folder. Returns: the option.
CLI::Option* addJobFolderOption(CLI::App& command, std::string& folder);

}  // namespace temper::cli
