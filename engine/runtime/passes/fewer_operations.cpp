// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "engine/runtime/kernels/blockable_kernel.h"
#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"

namespace temper {

void useFewerOperations(PlanDraft& draft, const PlanFacts& /*facts*/) {
    for (ExecutionPlan::Step& step : draft.steps) {
        const BlockableKernel* blockable = capabilitiesOf(step).blockable;
        auto kernel = blockable == nullptr ? nullptr : blockable->inFewerOperations();
        if (kernel) step.kernel = std::move(kernel);
    }
}

}  // namespace temper
