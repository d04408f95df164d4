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
    {.name = "fuse-attention",
     .help = "computes attention and its gradient in blocks, if there are enough scores: those of "
             "all queries and keys are never in memory",
     .keepsBits = false,
     .rewrite = fuseAttention},
    {.name = "fuse-formulas",
     .help =
         "computes formulas of several operators (GELU, SiLU, masks of Clip) as one, if nothing "
         "else needs the values between",
     .keepsBits = false,
     .rewrite = fuseFormulas},
    {.name = "narrow-products",
     .help = "rounds what products multiply to bfloat16, with --precision bf16",
     .keepsBits = false,
     .rewrite = narrowProducts},
    {.name = "keep-scores",
     .help = "keeps the scores of a cross entropy for the backward pass, not a copy of them as "
             "log-probabilities",
     .rewrite = keepScoresOfLosses},
    {.name = "pack-masks",
     .help = "keeps the masks of Dropouts for the backward pass as bits",
     .rewrite = packMasks},
    {.name = "join-parts",
     .help = "joins gradients of parts (Slice, Gather) that make up an array, instead of adding up "
             "arrays of zeros with a part each",
     .keepsBits = false,
     .rewrite = joinParts},
    {.name = "sum-products",
     .help = "adds products of the backward pass to others instead of adding up their results, "
             "which changes the order of sums",
     .keepsBits = false,
     .rewrite = sumProducts},
    {.name = "fewer-operations",
     .help = "uses Winograd's algorithm for 3 x 3 and 5 x 5 convolutions",
     .run = useFewerOperations,
     .keepsBits = false},
    {.name = "fold-transposes",
     .help = "lets matrix products read and write transposed arrays, which changes the order of "
             "their sums",
     .run = foldTransposes,
     .keepsBits = false},
    {.name = "join-products",
     .help = "runs products that share a factor (queries, keys and values; both gradients of a "
             "layer) together",
     .run = joinProducts},
    {.name = "early-accumulators",
     .help = "adds up gradients as soon as they are computed, which frees their memory",
     .run = moveAccumulators},
    {.name = "early-masks",
     .help = "computes masks for the backward pass already in the forward pass, if nothing else "
             "needs the arrays that they are made of",
     .run = makeMasksEarly},
    {.name = "block-channels",
     .help = "stores images between convolutions in blocks of channels, if that saves more "
             "rearranging than other operators need",
     .run = blockChannels},
    {.name = "remake-values",
     .help = "recomputes large values that are cheap to compute (the inside of a GELU) in the "
             "backward pass instead of keeping them",
     .run = remakeValues},
    {.name = "fuse-elementwise",
     .help = "fuses elementwise and row-wise steps (a whole LayerNorm and its gradient): values "
             "between them never leave the cache",
     .run = fuseElementwise},
    {.name = "fuse-epilogues",
     .help = "runs elementwise steps on each part of the output of a convolution, a batch norm or "
             "a product with constant weights as soon as it is ready",
     .run = fuseEpilogues},
    {.name = "write-accumulators",
     .help = "writes gradients directly into their accumulation buffers, if these have to be "
             "overwritten, as in the first step after a reset",
     .run = writeIntoAccumulators},
    {.name = "view-parts",
     .help = "leaves parts of arrays (Slice, Split, Concat along the first axis) where they are "
             "instead of copying them",
     .run = viewParts},
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
