// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/passes/step_order.h"

namespace temper {
namespace {

/// The step after which all inputs of `step` exist.
size_t lastMaker(const ExecutionPlan::Step& step, const PlanFacts& facts) {
    size_t position = 0;
    for (const uint32_t buffer : step.inputBuffers) {
        if (buffer != 0) position = std::max(position, facts.maker[buffer]);
    }
    return position;
}

}  // namespace

void moveAccumulators(PlanDraft& draft, const PlanFacts& facts) {
    std::vector<size_t> positions(draft.steps.size());
    for (size_t i = 0; i < positions.size(); ++i) {
        const ExecutionPlan::Step& step = draft.steps[i];
        positions[i] = isAccumulator(step, facts) ? lastMaker(step, facts) : i;
    }
    reorder(draft.steps, positions);
}

}  // namespace temper
