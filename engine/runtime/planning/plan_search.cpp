// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/plan_search.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/runtime/passes/plan_facts.h"
#include "engine/runtime/passes/plan_pass.h"
#include "engine/runtime/planning/plan_assembly.h"
#include "engine/runtime/planning/plan_memory.h"
#include "engine/runtime/planning/recompute.h"

namespace temper {
namespace {

/// More segments only repeat more.
constexpr size_t kMaxSegments = 40;

std::vector<std::pair<size_t, std::string>> changedInputs(const PlanDraft& draft,
                                                          const PlanFacts& facts) {
    std::vector<std::pair<size_t, std::string>> changed;
    for (const ExecutionPlan::Port& input : draft.inputs) {
        if (input.isSequence || input.buffers.empty()) continue;
        const uint32_t buffer = input.buffers.front();
        if (facts.isChanged[buffer]) changed.emplace_back(facts.lastChanger[buffer], input.name);
    }
    std::ranges::stable_sort(changed, {}, &std::pair<size_t, std::string>::first);
    return changed;
}

/// Compiles one graph; if memory is short, further ones with the same results.
class PlanSearch {
public:
    PlanSearch(const InputTypes& inputTypes, const OpCatalog& catalog,
               const KernelRegistry& kernels, const PlanOptions& options)
        : inputTypes_(inputTypes), catalog_(catalog), kernels_(kernels), options_(options) {}

    std::shared_ptr<const ExecutionPlan> find(const Graph& graph) const {
        auto plan = compile(graph);
        if (options_.memoryShare >= 1 && options_.recomputedBlocks.empty()) return plan;
        PlanAssembly assembly(graph, catalog_, kernels_, options_);
        const PlanDraft asWritten = finished(assembly);
        const auto target =
            plan->arenaBytes() - static_cast<size_t>((1 - options_.memoryShare) *
                                                     static_cast<double>(plan->activationBytes()));
        const Recomputation recomputation(
            graph, {[&](const Value& value) { return assembly.bytesOf(value, asWritten); },
                    [&](const Node& node) { return assembly.isChanging(node); },
                    [&](const Node& node) { return assembly.flopsOf(node); }});
        if (!options_.recomputedBlocks.empty()) {
            plan = compile(*recomputation.ofBlocks(options_.recomputedBlocks, catalog_));
        }
        return plan->arenaBytes() <= target ? plan : smallest(recomputation, plan, target);
    }

private:
    /// The first plan that is small enough, with increasing numbers of segments; else the smallest.
    /// Products are only repeated if nothing else suffices.
    std::shared_ptr<const ExecutionPlan> smallest(const Recomputation& recomputation,
                                                  std::shared_ptr<const ExecutionPlan> plan,
                                                  size_t target) const {
        using Repeated = Recomputation::Repeated;
        for (const Repeated repeated : {Repeated::Cheap, Repeated::All}) {
            for (size_t segments = 2; segments <= kMaxSegments; segments += (segments + 1) / 2) {
                auto other = compile(*recomputation.inSegments(segments, repeated));
                if (other->arenaBytes() < plan->arenaBytes()) plan = std::move(other);
                if (plan->arenaBytes() <= target) return plan;
            }
        }
        return plan;
    }

    std::shared_ptr<const ExecutionPlan> compile(const Graph& graph) const {
        const auto rewritten = rewrittenByPasses(graph, inputTypes_, catalog_, kernels_, options_);
        PlanAssembly assembly(rewritten ? *rewritten : graph, catalog_, kernels_, options_);
        return std::make_shared<ExecutionPlan>(finished(assembly));
    }

    PlanDraft finished(PlanAssembly& assembly) const {
        PlanDraft draft = assembly.build(inputTypes_);
        runPasses(draft, options_);
        const PlanFacts facts(draft);
        draft.changedInputs = changedInputs(draft, facts);
        layOutMemory(draft, facts);
        return draft;
    }

    const InputTypes& inputTypes_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    const PlanOptions& options_;
};

}  // namespace

std::shared_ptr<const ExecutionPlan> findPlan(const Graph& graph, const InputTypes& inputTypes,
                                              const OpCatalog& catalog,
                                              const KernelRegistry& kernels,
                                              const PlanOptions& options) {
    return PlanSearch(inputTypes, catalog, kernels, options).find(graph);
}

}  // namespace temper
