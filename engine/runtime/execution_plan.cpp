// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/execution_plan.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/runtime/planning/kernel_lowering.h"
#include "engine/runtime/planning/plan_draft.h"
#include "engine/runtime/planning/plan_search.h"

namespace temper {
namespace {

/// For each buffer that a step changes, the last such step.
std::map<uint32_t, size_t> lastChanges(const std::vector<ExecutionPlan::Step>& steps) {
    std::map<uint32_t, size_t> last;
    for (size_t i = 0; i < steps.size(); ++i) {
        const ExecutionPlan::Step& step = steps[i];
        for (const size_t input : step.kernel->traits().mutatedInputs) {
            for (uint32_t at = step.inputBegins[input]; at < step.inputBegins[input + 1]; ++at)
                last[step.inputBuffers[at]] = i;
        }
    }
    return last;
}

std::vector<std::pair<size_t, std::string>> findChangedInputs(
    const std::vector<ExecutionPlan::Step>& steps, const std::vector<ExecutionPlan::Port>& inputs) {
    const std::map<uint32_t, size_t> changes = lastChanges(steps);
    std::vector<std::pair<size_t, std::string>> changed;
    for (const ExecutionPlan::Port& input : inputs) {
        if (input.isSequence || input.buffers.empty()) continue;
        const auto found = changes.find(input.buffers.front());
        if (found != changes.end()) changed.emplace_back(found->second, input.name);
    }
    std::ranges::stable_sort(changed, {}, &std::pair<size_t, std::string>::first);
    return changed;
}

}  // namespace

ExecutionPlan::ExecutionPlan(PlanDraft draft)
    : buffers_(std::move(draft.buffers)),
      steps_(std::move(draft.steps)),
      inputs_(std::move(draft.inputs)),
      outputs_(std::move(draft.outputs)),
      initialCopies_(std::move(draft.initialCopies)),
      changedInputs_(findChangedInputs(steps_, inputs_)),
      arenaBytes_(draft.arenaBytes),
      activationBytes_(draft.activationBytes) {}

std::shared_ptr<const ExecutionPlan> ExecutionPlan::compile(const Graph& graph,
                                                            const InputTypes& inputTypes,
                                                            const OpCatalog& catalog,
                                                            const KernelRegistry& kernels,
                                                            const PlanOptions& options) {
    const auto lowered = loweredForKernels(graph, inputTypes, catalog, kernels);
    return findPlan(lowered ? *lowered : graph, inputTypes, catalog, kernels, options);
}

}  // namespace temper
