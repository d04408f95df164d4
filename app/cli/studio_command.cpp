// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/cli/commands.h"

namespace temper::cli {
namespace {

/// The window's program, next to this one if it exists, else found on the PATH.
std::string studioProgram() {
    std::error_code unknown;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const std::filesystem::path beside = self.parent_path() / "temper-studio";
    return !unknown && std::filesystem::exists(beside) ? beside.string() : "temper-studio";
}

[[noreturn]] void becomeStudio(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), studioProgram());
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    ::execvp(pointers[0], pointers.data());
    throw Error(ErrorCode::NotFound,
                "'temper-studio' can't be started: " + std::string(std::strerror(errno)) + ".",
                "Install Temper's window, or build it with TEMPER_BUILD_STUDIO=ON.");
}

}  // namespace

void addStudioCommand(CLI::App& app, CliContext&) {
    auto* command = app.add_subcommand("studio", "Open the window");
    const auto files = std::make_shared<std::vector<std::string>>();
    command->add_option("FILE", *files, "Models, artifact folders, checkpoints, projects");
    command->callback([files] { becomeStudio(*files); });
}

}  // namespace temper::cli
