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

constexpr std::array<PlanPass, 11> kPasses = {{
    {"fuse-attention", "Attention is computed in blocks, its scores are not kept.", nullptr, false,
     fuseAttention},
    {"fuse-formulas", "Formulas written as several operators (GELU) are computed as one.", nullptr,
     false, fuseFormulas},
    {"fewer-operations",
     "Convolutions of 3 x 3 and 5 x 5 are computed in tiles, by fewer products.",
     useFewerOperations, false},
    {"fold-transposes", "Matrix products read and write transposed arrays.", foldTransposes, false},
    {"early-accumulators", "Gradients are summed where they are computed.", moveAccumulators},
    {"early-masks", "Masks for the backward pass are computed in the forward pass.",
     makeMasksEarly},
    {"block-channels", "Images between convolutions are stored in channel blocks.", blockChannels},
    {"remake-values", "The backward pass recomputes cheap values.", remakeValues},
    {"fuse-elementwise", "Elementwise steps and row sums run block by block.", fuseElementwise},
    {"fuse-epilogues", "Elementwise steps run on parts of the previous step's output.",
     fuseEpilogues},
    {"write-accumulators", "Gradients are written into the buffers that sum them.",
     writeIntoAccumulators},
}};

bool isWanted(const PlanPass& pass, const PlanOptions& options) {
    return std::ranges::find(options.withoutPasses, pass.name) == options.withoutPasses.end();
}

bool isPass(const std::string& name) {
    return std::ranges::any_of(kPasses, [&](const PlanPass& pass) { return pass.name == name; });
}

}  // namespace

std::span<const PlanPass> planPasses() { return kPasses; }

std::string planPassNames() { return joined(kPasses, &PlanPass::name); }

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
    throw Error(ErrorCode::InvalidInput,
                "Unknown pass '" + *unknown + "'; expected one of " + planPassNames() + ".");
}

}  // namespace temper
