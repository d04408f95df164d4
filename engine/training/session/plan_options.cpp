// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/plan_options.h"

#include <set>
#include <string>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/ir/block_table.h"

namespace temper {
namespace {

/// Throws: Error(InvalidInput) listing the kinds of blocks.
void requireBlockKind(const std::string& kind) {
    std::set<std::string> kinds;
    for (const BlockEntry& entry : blockTable()) kinds.insert(entry.kind);
    if (kinds.contains(kind)) return;
    throw Error(ErrorCode::InvalidInput, "Unknown block kind '" + kind + "'.",
                "Kinds of blocks: " + joined(kinds) + ".");
}

}  // namespace

PlanOptions trainingPlanOptions(const SessionOptions& options, const ExecutionContext& context) {
    if (!(options.memoryShare > 0 && options.memoryShare <= 1)) {
        throw Error(ErrorCode::InvalidInput,
                    "The memory share is " + std::to_string(options.memoryShare) +
                        "; expected more than 0, and at most 1.",
                    "0.5 uses half of the memory that activations need.");
    }
    for (const std::string& kind : options.recompute) requireBlockKind(kind);
    requirePrecision(options);
    PlanOptions plan = context.planOptions();
    plan.memoryShare = options.memoryShare;
    plan.recomputedBlocks = options.recompute;
    plan.multipliesBFloat16 = options.precision == Precision::BFloat16;
    return plan;
}

}  // namespace temper
