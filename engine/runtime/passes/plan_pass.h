// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/planning/plan_draft.h"

namespace temper {

/// Step::phase of the backward pass.
inline constexpr const char* kBackwardPhase = "backward";

struct PlanFacts;

/// Makes a plan faster or smaller; what it computes stays the same.
struct PlanPass {
    std::string_view name;  ///< by which PlanOptions::withoutPasses switches it off
    std::string_view purpose;
    void (*run)(PlanDraft& draft, const PlanFacts& facts) = nullptr;
    bool keepsBits = true;  ///< false: numbers may be rounded otherwise, their last bits differ
    /// In place of `run`: on the graph, before its plan is made. Null where that can stay as it is.
    std::unique_ptr<Graph> (*rewrite)(const Graph& graph, const InputTypes& inputTypes,
                                      const OpCatalog& catalog, const KernelRegistry& kernels,
                                      const PlanOptions& options) = nullptr;
};

/// All passes, in the order in which they run.
std::span<const PlanPass> planPasses();

/// The names, with commas between them.
std::string planPassNames();

/// Runs the passes over a plan that the options do not leave out.
void runPasses(PlanDraft& draft, const PlanOptions& options);

/// The graph as the passes over graphs leave it; null if that is as it was.
std::unique_ptr<Graph> rewrittenByPasses(const Graph& graph, const InputTypes& inputTypes,
                                         const OpCatalog& catalog, const KernelRegistry& kernels,
                                         const PlanOptions& options);

/// Throws: Error(InvalidInput) listing the passes where one of the names is none.
void requirePlanPasses(const std::vector<std::string>& names);

/// Attention that is written as products and a softmax is computed in blocks, and so is its
/// gradient: the scores of all queries and keys are nowhere in memory. Of float32, where there are
/// scores enough; see attention_match.h for the form.
std::unique_ptr<Graph> fuseAttention(const Graph& graph, const InputTypes& inputTypes,
                                     const OpCatalog& catalog, const KernelRegistry& kernels,
                                     const PlanOptions& options);

/// What the graph writes as several operators and a kernel computes as one (KernelFormula) becomes
/// that one operator, where nothing else needs what lies between and nothing is broadcast.
std::unique_ptr<Graph> fuseFormulas(const Graph& graph, const InputTypes& inputTypes,
                                    const OpCatalog& catalog, const KernelRegistry& kernels,
                                    const PlanOptions& options);

/// Kernels that there are in fewer operations take that form (Kernel::inFewerOperations()).
void useFewerOperations(PlanDraft& draft, const PlanFacts& facts);

/// Matrix products read what a Transpose would have copied where it lies, and write where one
/// would.
void foldTransposes(PlanDraft& draft, const PlanFacts& facts);

/// A step that writes into a buffer of its own and whose results no other step reads (a gradient
/// accumulator) runs right behind the step that makes its input: that ends there.
void moveAccumulators(PlanDraft& draft, const PlanFacts& facts);

/// Steps of the backward pass that make masks (Clip, Where, ...) of what nothing else there reads
/// run as soon as they can: those arrays end in the forward pass.
void makeMasksEarly(PlanDraft& draft, const PlanFacts& facts);

/// Images between convolutions lie in blocks of channels, where that saves more rearranging than
/// other operators need.
void blockChannels(PlanDraft& draft, const PlanFacts& facts);

/// Large values of the forward pass that a chain of elementwise steps of the backward pass reads
/// are made again there, where that takes a few such steps from values that are kept anyway: the
/// chain has them in the cache, and nobody keeps them in memory.
void remakeValues(PlanDraft& draft, const PlanFacts& facts);

/// Steps that go through each other's or the same arrays element by element or row by row become
/// one, which goes through them block by block: what lies between them never leaves the cache, or
/// is no array at all. Operands may be broadcast, rows reduced or summed up (RowKernel,
/// ColumnFoldKernel).
void fuseElementwise(PlanDraft& draft, const PlanFacts& facts);

/// An elementwise step runs on each part of an array behind the step that makes it (a convolution,
/// a batch norm), as soon as the part is there and while it is in the cache. It takes that array's
/// memory where it can, so that there is one array less.
void fuseEpilogues(PlanDraft& draft, const PlanFacts& facts);

/// A step whose results are only added to buffers (AccumulatorKernel) writes into them where they
/// are to be overwritten, as those of gradients are in the first step behind a reset.
void writeIntoAccumulators(PlanDraft& draft, const PlanFacts& facts);

}  // namespace temper
