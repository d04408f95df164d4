// SPDX-License-Identifier: Apache-2.0
#include "app/cli/ranks.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/cli/exit_status.h"
#include "app/cli/interrupt_watcher.h"
#include "app/cli/own_program.h"
#include "app/cli/version.h"
#include "engine/distributed/loaded_transport.h"
#include "engine/training/parallel/rank_facts.h"

namespace temper::cli {
namespace {

namespace fs = std::filesystem;

/// Names the file in which rank 0 leaves its exit status.
constexpr const char* kStatusVariable = "TEMPER_RANKS_STATUS";

constexpr int kNotFound = 127;  ///< as a shell reports it

/// What mpirun of Open MPI and of MPICH sets.
constexpr std::array kSizeVariables = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
constexpr std::array kLocalSizeVariables = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};

template <size_t kSize>
const char* firstOf(const std::array<const char*, kSize>& variables) {
    for (const char* name : variables) {
        if (const char* value = std::getenv(name)) return value;
    }
    return nullptr;
}

/// TEMPER_TRANSPORT, or the one beside this program.
fs::path transportLibrary() {
    if (const char* chosen = std::getenv("TEMPER_TRANSPORT")) return chosen;
    return ownProgram().parent_path().parent_path() / "lib" / "temper" / "mpi.so";
}

/// Settings for Open MPI 4 and 5; others ignore them, and those that are set already stay.
void prepareOpenMpi() {
    const auto set = [](const char* name, const char* value) { ::setenv(name, value, 0); };
    // More ranks than cores are slow, but a choice; and each has threads of its own.
    set("OMPI_MCA_rmaps_base_oversubscribe", "1");
    set("OMPI_MCA_hwloc_base_binding_policy", "none");
    set("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe");
    set("PRTE_MCA_hwloc_default_binding_policy", "none");
    // Ranks that wait leave their core to others.
    set("OMPI_MCA_mpi_yield_when_idle", "1");
    if (::geteuid() != 0) return;
    // In containers everybody is root; elsewhere root has decided to start this program.
    set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    set("PRTE_ALLOW_RUN_AS_ROOT", "1");
    set("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
}

std::vector<std::string> withoutRanks(const std::vector<std::string>& arguments) {
    std::vector<std::string> rest;
    for (size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--ranks") {
            ++i;
        } else if (!arguments[i].starts_with("--ranks=")) {
            rest.push_back(arguments[i]);
        }
    }
    return rest;
}

/// In a process group of its own, so that Ctrl+C reaches this program alone; it does not outlive
/// it.
pid_t start(std::vector<std::string>& arguments) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) {
        throw Error(ErrorCode::Io,
                    "No process can be started: " + std::string(std::strerror(errno)) + ".");
    }
    if (child > 0) return child;
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::execvp(pointers[0], pointers.data());
    ::_exit(kNotFound);
}

/// Where rank 0 leaves its exit status; removed in the end.
class StatusFile {
public:
    StatusFile() : path_((fs::temp_directory_path() / "temper-status-XXXXXX").string()) {
        const int descriptor = ::mkstemp(path_.data());
        if (descriptor < 0) {
            throw Error(ErrorCode::Io,
                        "'" + path_ + "' can't be written: " + std::strerror(errno) + ".",
                        "Make room there, or name another folder with TMPDIR.");
        }
        ::close(descriptor);
    }
    ~StatusFile() { ::unlink(path_.c_str()); }
    StatusFile(const StatusFile&) = delete;
    StatusFile& operator=(const StatusFile&) = delete;

    const std::string& path() const { return path_; }
    /// 0 if nothing was left there.
    int status() const {
        int status = 0;
        std::ifstream(path_) >> status;
        return status;
    }

private:
    std::string path_;
};

}  // namespace

bool isRank() { return firstOf(kSizeVariables) != nullptr; }

int ranksOnMachine() {
    const char* count = firstOf(kLocalSizeVariables);
    return count == nullptr ? 1 : std::max(std::atoi(count), 1);
}

int runRanks(int count, std::vector<std::string> arguments) {
    requireTransport(transportLibrary());  // once, not by each rank
    arguments = withoutRanks(arguments);
    arguments.front() = ownProgram().string();
    arguments.insert(arguments.begin(), {"mpirun", "-np", std::to_string(count)});
    prepareOpenMpi();
    const StatusFile left;
    ::setenv(kStatusVariable, left.path().c_str(), 1);
    const pid_t child = start(arguments);
    const InterruptWatcher interrupts([child] { ::kill(child, SIGUSR1); });
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return left.status();
    if (WIFEXITED(status) && WEXITSTATUS(status) != kNotFound) return WEXITSTATUS(status);
    if (!WIFEXITED(status)) return kFailure;
    throw Error(ErrorCode::NotFound, "'mpirun' can't be started.",
                "Install Open MPI (Debian's package openmpi-bin).");
}

int leaveStatus(int status) {
    const char* path = std::getenv(kStatusVariable);
    if (path == nullptr) return status;
    std::ofstream(path) << status << std::flush;
    return 0;
}

std::unique_ptr<Group> joinRanks() {
    return std::make_unique<Group>([] { return openTransport(transportLibrary()); });
}

void requireSameVersion(Group& group) { requireSame(group, {{"version of Temper", buildText()}}); }

}  // namespace temper::cli
