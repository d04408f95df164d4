// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/execution_plan.h"

#include <utility>

#include "engine/runtime/planning/kernel_lowering.h"
#include "engine/runtime/planning/plan_draft.h"
#include "engine/runtime/planning/plan_search.h"

namespace temper {

ExecutionPlan::ExecutionPlan(PlanDraft draft)
    : buffers_(std::move(draft.buffers)),
      steps_(std::move(draft.steps)),
      inputs_(std::move(draft.inputs)),
      outputs_(std::move(draft.outputs)),
      initialCopies_(std::move(draft.initialCopies)),
      changedInputs_(std::move(draft.changedInputs)),
      arenaBytes_(draft.arenaBytes),
      activationBytes_(draft.activationBytes) {
    for (uint32_t i = 0; i < buffers_.size(); ++i) {
        if (buffers_[i].kind == BufferKind::Part) parts_.push_back(i);
    }
}

std::shared_ptr<const ExecutionPlan> ExecutionPlan::compile(const Graph& graph,
                                                            const InputTypes& inputTypes,
                                                            const OpCatalog& catalog,
                                                            const KernelRegistry& kernels,
                                                            const PlanOptions& options) {
    const auto lowered = loweredForKernels(graph, inputTypes, catalog, kernels);
    return findPlan(lowered ? *lowered : graph, inputTypes, catalog, kernels, options);
}

}  // namespace temper
