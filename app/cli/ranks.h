// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "engine/distributed/group.h"

namespace temper::cli {

/// Whether this process is one of those that mpirun started.
bool isRank();
/// The ranks on this machine, of which this is one; 1 if unknown.
int ranksOnMachine();

/// Runs this program `count` times by mpirun, with the same arguments but --ranks. Ctrl+C and a
/// termination request ask rank 0 to stop.
/// Returns: the exit status of rank 0 if all ranks ended in good order, else that of mpirun.
/// Throws: Error(NotFound) if there is no mpirun, or no transport for the ranks.
int runRanks(int count, std::vector<std::string> arguments);

/// Joins the ranks that were started together. Throws: as openTransport().
std::unique_ptr<Group> joinRanks();
/// All ranks call it. Throws: Error(InvalidInput) on all of them if a rank has another version of
/// this program than rank 0.
void requireSameVersion(Group& group);

/// Of rank 0, after all ranks ended in good order. mpirun would take a failure for a crash, end all
/// ranks and say so: for runRanks(), the status is left aside. Returns: what the process returns.
int leaveStatus(int status);

/// The context of a rank that reports nothing, because rank 0 does.
class SilentContext {
public:
    explicit SilentContext(const CliContext& context)
        : context_{nowhere_, nowhere_, nowhere_, false, context.arguments, context.commandLine} {}
    CliContext& context() { return context_; }

private:
    std::ostream nowhere_{nullptr};
    CliContext context_;
};

}  // namespace temper::cli
