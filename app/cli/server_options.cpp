// SPDX-License-Identifier: Apache-2.0
#include "app/cli/server_options.h"

#include "engine/jobs/access_token.h"
#include "engine/jobs/job_folder.h"

namespace temper::cli {

std::filesystem::path jobFolderOf(const std::string& given) {
    return given.empty() ? JobFolder::standard() : std::filesystem::path(given);
}

CLI::Option* addJobFolderOption(CLI::App& command, std::string& folder) {
    return command
        .add_option("--folder", folder,
                    "Folder of the server (default: ~/.local/state/temper/jobs)")
        ->type_name("DIR");
}

void ServerOptions::addTo(CLI::App& command) {
    CLI::Option* inFolder = addJobFolderOption(command, folder);
    CLI::Option* atSocket =
        command.add_option("--socket", socket, "Socket that ssh -L forwards to a server elsewhere")
            ->type_name("FILE");
    CLI::Option* atPort = command.add_option("--port", port, "Port of this machine, likewise")
                              ->check(CLI::Range(1, kMaxPort));
    command.add_option("--token", token, "File with the token of that server")->type_name("FILE");
    inFolder->excludes(atSocket)->excludes(atPort);
    atSocket->excludes(atPort);
}

ServerAddress ServerOptions::address() const {
    if (socket.empty() && port == 0) return serverIn(jobFolderOf(folder));
    const std::filesystem::path file =
        token.empty() ? JobFolder(jobFolderOf(folder)).token() : std::filesystem::path(token);
    return {socket, port, readToken(file)};
}

}  // namespace temper::cli
