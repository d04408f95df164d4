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

/// Makes a plan faster or smaller; its results stay the same.
struct PlanPass {
    std::string_view name;  ///< by which PlanOptions::withoutPasses switches it off
    void (*run)(PlanDraft& draft, const PlanFacts& facts) = nullptr;
    bool keepsBits = true;  ///< false: rounding may differ in the last bits
    /// Instead of `run`: on the graph, before its plan is made. Null if the graph can stay as it
    /// is.
    std::unique_ptr<Graph> (*rewrite)(const Graph& graph, const InputTypes& inputTypes,
                                      const OpCatalog& catalog, const KernelRegistry& kernels,
                                      const PlanOptions& options) = nullptr;
};

/// All passes, in the order in which they run.
std::span<const PlanPass> planPasses();

/// The names of all passes.
std::vector<std::string> planPassNames();

/// Runs all passes over a plan except those that the options leave out.
void runPasses(PlanDraft& draft, const PlanOptions& options);

/// The graph as the passes over graphs leave it; null if unchanged.
std::unique_ptr<Graph> rewrittenByPasses(const Graph& graph, const InputTypes& inputTypes,
                                         const OpCatalog& catalog, const KernelRegistry& kernels,
                                         const PlanOptions& options);

/// Throws: Error(InvalidInput) listing the passes if one of the names is unknown.
void requirePlanPasses(const std::vector<std::string>& names);

/// Attention written as products and a softmax is computed in blocks, and so is its gradient: the
/// scores of all queries and keys are never in memory. For float32, if there are enough scores; see
/// attention_match.h for the form.
std::unique_ptr<Graph> fuseAttention(const Graph& graph, const InputTypes& inputTypes,
                                     const OpCatalog& catalog, const KernelRegistry& kernels,
                                     const PlanOptions& options);

/// What the graph writes as several operators and a kernel computes as one (KernelFormula) becomes
/// that one operator, if nothing else needs the values between and nothing is broadcast.
std::unique_ptr<Graph> fuseFormulas(const Graph& graph, const InputTypes& inputTypes,
                                    const OpCatalog& catalog, const KernelRegistry& kernels,
                                    const PlanOptions& options);

/// Products of float32 become products of bfloat16 numbers (PlanOptions::multipliesBFloat16); see
/// narrow_products.h.
std::unique_ptr<Graph> narrowProducts(const Graph& graph, const InputTypes& inputTypes,
                                      const OpCatalog& catalog, const KernelRegistry& kernels,
                                      const PlanOptions& options);

/// Kernels that have a form with fewer operations take it (BlockableKernel).
void useFewerOperations(PlanDraft& draft, const PlanFacts& facts);

/// Matrix products read in place what a Transpose would have copied, and write where one would.
void foldTransposes(PlanDraft& draft, const PlanFacts& facts);

/// A step that writes into its own buffer and whose results no other step reads (a gradient
/// accumulator) runs right after the step that makes its input: the input's lifetime ends there.
void moveAccumulators(PlanDraft& draft, const PlanFacts& facts);

/// Steps of the backward pass that make masks (Clip, Where, ...) of what nothing else there reads
/// run as soon as they can: the lifetimes of those arrays end in the forward pass.
void makeMasksEarly(PlanDraft& draft, const PlanFacts& facts);

/// Images between convolutions are stored in blocks of channels, if that saves more rearranging
/// than other operators need.
void blockChannels(PlanDraft& draft, const PlanFacts& facts);

/// Large values of the forward pass that a chain of elementwise steps of the backward pass reads
/// are recomputed there, if that takes a few such steps from values that are kept anyway: the chain
/// has them in the cache, and they need not be kept in memory.
void remakeValues(PlanDraft& draft, const PlanFacts& facts);

/// Steps that process each other's or the same arrays element by element or row by row become one,
/// which processes them block by block: values between them never leave the cache, or need no array
/// at all. Operands may be broadcast, rows reduced or summed up (RowKernel, ColumnFoldKernel).
void fuseElementwise(PlanDraft& draft, const PlanFacts& facts);

/// An elementwise step runs on each part of an array right after the step that makes it (a
/// convolution, a batch norm), as soon as the part is complete and while it is in the cache. It
/// takes that array's memory if it can, so that one array fewer is needed.
void fuseEpilogues(PlanDraft& draft, const PlanFacts& facts);

/// A step whose results are only added to buffers (AccumulatorKernel) writes into them if they have
/// to be overwritten, as gradient buffers are in the first step after a reset.
void writeIntoAccumulators(PlanDraft& draft, const PlanFacts& facts);

}  // namespace temper
