// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/passes/plan_pass.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/runtime/passes/plan_facts.h"

namespace temper {
namespace {

constexpr auto kPasses = std::to_array<PlanPass>({
    {.name = "fuse-attention", .keepsBits = false, .rewrite = fuseAttention},
    {.name = "fuse-formulas", .keepsBits = false, .rewrite = fuseFormulas},
    {.name = "narrow-products", .keepsBits = false, .rewrite = narrowProducts},
    {.name = "fewer-operations", .run = useFewerOperations, .keepsBits = false},
    {.name = "fold-transposes", .run = foldTransposes, .keepsBits = false},
    {.name = "early-accumulators", .run = moveAccumulators},
    {.name = "early-masks", .run = makeMasksEarly},
    {.name = "block-channels", .run = blockChannels},
    {.name = "remake-values", .run = remakeValues},
    {.name = "fuse-elementwise", .run = fuseElementwise},
    {.name = "fuse-epilogues", .run = fuseEpilogues},
    {.name = "write-accumulators", .run = writeIntoAccumulators},
});

bool isWanted(const PlanPass& pass, const PlanOptions& options) {
    return std::ranges::find(options.withoutPasses, pass.name) == options.withoutPasses.end();
}

bool isPass(const std::string& name) {
    return std::ranges::any_of(kPasses, [&](const PlanPass& pass) { return pass.name == name; });
}

}  // namespace

std::span<const PlanPass> planPasses() { return kPasses; }

std::vector<std::string> planPassNames() {
    std::vector<std::string> names;
    for (const PlanPass& pass : kPasses) names.emplace_back(pass.name);
    return names;
}

void runPasses(PlanDraft& draft, const PlanOptions& options) {
    for (const PlanPass& pass : kPasses) {
        if (pass.run != nullptr && isWanted(pass, options)) pass.run(draft, PlanFacts(draft));
    }
}

std::unique_ptr<Graph> rewrittenByPasses(const Graph& graph, const InputTypes& inputTypes,
                                         const OpCatalog& catalog, const KernelRegistry& kernels,
                                         const PlanOptions& options) {
    std::unique_ptr<Graph> rewritten;
    for (const PlanPass& pass : kPasses) {
        if (pass.rewrite == nullptr || !isWanted(pass, options)) continue;
        auto next =
            pass.rewrite(rewritten ? *rewritten : graph, inputTypes, catalog, kernels, options);
        if (next) rewritten = std::move(next);
    }
    return rewritten;
}

void requirePlanPasses(const std::vector<std::string>& names) {
    const auto unknown = std::ranges::find_if_not(names, isPass);
    if (unknown == names.end()) return;
    throw Error(ErrorCode::InvalidInput, "Unknown pass '" + *unknown + "'; expected one of " +
                                             joined(planPassNames()) + ".");
}

}  // namespace temper
