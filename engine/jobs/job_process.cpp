// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr int kFirstOther = 3;  ///< descriptors after those for input, output and errors

struct FileActions {
    FileActions() { ::posix_spawn_file_actions_init(&actions); }
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;
    posix_spawn_file_actions_t actions;
};

struct Attributes {
    Attributes() { ::posix_spawnattr_init(&attributes); }
    ~Attributes() { ::posix_spawnattr_destroy(&attributes); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    posix_spawnattr_t attributes;
};

}  // namespace

pid_t startDetached(std::vector<std::string> arguments, const std::filesystem::path& output) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);

    FileActions files;
    ::posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files.actions, STDOUT_FILENO, output.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&files.actions, STDOUT_FILENO, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files.actions, kFirstOther);

    Attributes attributes;
    sigset_t none, pipe;
    ::sigemptyset(&none);
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes.attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes.attributes, &pipe);
    ::posix_spawnattr_setflags(&attributes.attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    pid_t child = 0;
    const int error = ::posix_spawn(&child, pointers.front(), &files.actions,
                                    &attributes.attributes, pointers.data(), environ);
    if (error == 0) return child;
    throw Error(ErrorCode::Io,
                "'" + arguments.front() + "' can't be started: " + std::strerror(error) + ".");
}

pid_t startJobProcess(const std::filesystem::path& program, const JobFolder& folder, int64_t job) {
    return startDetached({program.string(), "run-job", folder.path().string(), std::to_string(job)},
                         folder.outputOf(job));
}

}  // namespace temper
