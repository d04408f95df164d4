// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "app/cli/cli_context.h"
#include "engine/runtime/cpu/machine_peaks.h"
#include "engine/runtime/profile.h"

namespace temper::cli {

/// The cost of the calls of one operator or node, and its lower bound.
struct CostRow {
    std::string node;  ///< empty for an operator
    std::string op;
    KernelCost cost;
    double leastSeconds = 0;  ///< sum over the steps of the plan

    /// May exceed 1, see MachinePeaks.
    double rooflineShare() const { return cost.seconds > 0 ? leastSeconds / cost.seconds : 0; }
};

enum class CostGrouping { ByOperator, ByNode };

/// Over all phases, slowest first.
std::vector<CostRow> costRows(const Profile& profile, const MachinePeaks& peaks,
                              CostGrouping grouping);

/// {"op", "count", "ms", "share", "flops", "bytes", "roofline_share"} of a training step each; rows
/// of nodes start with their name as "node".
Json toJson(const std::vector<CostRow>& rows, int64_t steps);

/// The same for human readers, with rates instead of amounts; at most 40 nodes.
void printCosts(std::ostream& stream, const std::vector<CostRow>& rows, int64_t steps);

}  // namespace temper::cli
