// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "engine/runtime/passes/plan_pass.h"

namespace temper {

void useFewerOperations(PlanDraft& draft, const PlanFacts& /*facts*/) {
    for (ExecutionPlan::Step& step : draft.steps) {
        std::unique_ptr<Kernel> kernel = step.kernel->inFewerOperations();
        if (kernel) step.kernel = std::move(kernel);
    }
}

}  // namespace temper
