// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "app/cli/commands.h"
#include "app/cli/interrupt_watcher.h"
#include "app/cli/own_program.h"
#include "app/cli/server_options.h"
#include "engine/core/counted.h"
#include "engine/core/file.h"
#include "engine/jobs/job_client.h"
#include "engine/jobs/job_process.h"
#include "engine/jobs/job_server.h"
#include "engine/runs/run_journal.h"

namespace temper::cli {
namespace {

constexpr int kMaxParallel = 256;
/// For the requests that are being answered when the server ends.
constexpr std::chrono::milliseconds kClientsPatience{2000};
/// For a server in the background to answer.
constexpr std::chrono::seconds kStartPatience{20};
/// For the jobs of a server that ends to save.
constexpr std::chrono::seconds kEndPatience{60};

struct ServeOptions {
    std::string folder;
    int port = 0;
    bool hasPort = false;
    int parallel = 1;
    bool inBackground = false;
};

/// A line for each place where it can be reached.
void printPlaces(const JobFolder& folder, const std::optional<int>& port, CliContext& context) {
    context.out << "socket  " << folder.socket().string() << '\n';
    if (port) context.out << "port    127.0.0.1:" << *port << '\n';
    context.out << "token   " << folder.token().string() << std::endl;
}

/// Ends the program if it still runs then: a client that never ends its request keeps a thread of
/// the server.
void endAfter(std::chrono::milliseconds time) {
    std::thread([time] {
        std::this_thread::sleep_for(time);
        ::_exit(0);
    }).detach();
}

void serveHere(const ServeOptions& options, CliContext& context) {
    const JobFolder folder(jobFolderOf(options.folder));
    const std::filesystem::path program = ownProgram();
    JobQueue queue(
        folder, [&](int64_t job) { return startJobProcess(program, folder, job); },
        options.parallel);
    const JobServer server(folder, queue,
                           options.hasPort ? std::optional(options.port) : std::nullopt);
    printPlaces(folder, server.port(), context);
    if (context.errIsTerminal)
        context.err << "Ctrl+C ends the server; jobs continue when it starts again." << std::endl;
    const InterruptWatcher interrupts([&queue] { queue.stop(); });
    queue.run();
    endAfter(kClientsPatience);
}

enum class ServerState { None, Runs, Ends };

ServerState serverState(const JobFolder& folder) {
    try {
        return JobClient(serverIn(folder.path())).isServerEnding() ? ServerState::Ends
                                                                   : ServerState::Runs;
    } catch (const Error&) {
        // Without an answer: it begins, or has just ended and still has the lock.
        return ProcessLock::tryLock(folder.serverLock()) ? ServerState::None : ServerState::Ends;
    }
}

/// Waits as long as a server ends. Returns: whether one runs.
/// Throws: Error(State) if it needs too long.
bool hasServer(const JobFolder& folder) {
    constexpr std::chrono::milliseconds kPause{50};
    const auto end = std::chrono::steady_clock::now() + kEndPatience;
    while (true) {
        const ServerState state = serverState(folder);
        if (state != ServerState::Ends) return state == ServerState::Runs;
        if (std::chrono::steady_clock::now() > end) {
            throw Error(ErrorCode::State,
                        "The server of '" + folder.path().string() +
                            "' is ending, but its jobs have not saved yet.",
                        "Start the next one when it has ended.");
        }
        std::this_thread::sleep_for(kPause);
    }
}

bool answers(const JobFolder& folder) { return serverState(folder) == ServerState::Runs; }

/// Waits until the server in the background answers. Throws: Error(Io) with what it printed if it
/// ends instead.
void waitForServer(pid_t process, const JobFolder& folder) {
    constexpr std::chrono::milliseconds kPause{20};
    const auto end = std::chrono::steady_clock::now() + kStartPatience;
    while (!answers(folder)) {
        if (std::chrono::steady_clock::now() > end)
            throw Error(ErrorCode::Io, "The server does not answer.",
                        "See what it printed in '" + folder.serverOutput().string() + "'.");
        int status = 0;
        if (::waitpid(process, &status, WNOHANG) == process)
            throw Error(ErrorCode::Io,
                        "The server has ended: " + readFile(folder.serverOutput(), 4096));
        std::this_thread::sleep_for(kPause);
    }
}

void serveInBackground(const ServeOptions& options, CliContext& context) {
    const JobFolder folder(jobFolderOf(options.folder));
    folder.create();
    if (hasServer(folder)) {
        context.out << "A server runs the jobs of '" << folder.path().string() << "' already.\n";
        return;
    }
    std::vector<std::string> arguments{
        ownProgram().string(),  "serve",      "--folder",
        folder.path().string(), "--parallel", std::to_string(options.parallel)};
    if (options.hasPort) {
        arguments.push_back("--port");
        arguments.push_back(std::to_string(options.port));
    }
    waitForServer(startDetached(std::move(arguments), folder.serverOutput()), folder);
    context.out << readFile(folder.serverOutput(), 4096);
}

constexpr const char* kAbout = R"(Jobs are runs of projects. Add one with 'temper jobs add PROJECT'.
Each runs in a process of its own. A job whose process or machine went down is continued from its
last checkpoint. The server answers whoever has its token, on a Unix socket and, with --port, on
127.0.0.1. To reach it from another machine, forward the socket with ssh -L.)";

}  // namespace

void addServeCommand(CLI::App& app, CliContext& context) {
    auto* command = app.add_subcommand("serve", "Run jobs one after the other, without a window");
    command->footer(kAbout);
    const auto options = std::make_shared<ServeOptions>();
    addJobFolderOption(*command, options->folder);
    command
        ->add_option("--port", options->port,
                     "Listen on this port of 127.0.0.1 as well (0: any free one)")
        ->check(CLI::Range(0, kMaxPort));
    command->add_option("--parallel", options->parallel, "Jobs that run at the same time")
        ->check(CLI::Range(1, kMaxParallel))
        ->capture_default_str();
    command->add_flag("--background", options->inBackground,
                      "Return as soon as it runs; it outlives the terminal");
    command->callback([options, command, &context] {
        options->hasPort = command->count("--port") > 0;
        if (options->inBackground) {
            serveInBackground(*options, context);
        } else {
            serveHere(*options, context);
        }
    });
}

}  // namespace temper::cli
