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
    std::string_view help;  ///< "uses Winograd's algorithm ...", for docs/architecture.md
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

// The passes: PlanPass::help says what they do.
std::unique_ptr<Graph> fuseAttention(const Graph& graph, const InputTypes& inputTypes,
                                     const OpCatalog& catalog, const KernelRegistry& kernels,
                                     const PlanOptions& options);
std::unique_ptr<Graph> keepScoresOfLosses(const Graph& graph, const InputTypes& inputTypes,
                                          const OpCatalog& catalog, const KernelRegistry& kernels,
                                          const PlanOptions& options);
std::unique_ptr<Graph> packMasks(const Graph& graph, const InputTypes& inputTypes,
                                 const OpCatalog& catalog, const KernelRegistry& kernels,
                                 const PlanOptions& options);
std::unique_ptr<Graph> fuseFormulas(const Graph& graph, const InputTypes& inputTypes,
                                    const OpCatalog& catalog, const KernelRegistry& kernels,
                                    const PlanOptions& options);
std::unique_ptr<Graph> narrowProducts(const Graph& graph, const InputTypes& inputTypes,
                                      const OpCatalog& catalog, const KernelRegistry& kernels,
                                      const PlanOptions& options);
std::unique_ptr<Graph> joinParts(const Graph& graph, const InputTypes& inputTypes,
                                 const OpCatalog& catalog, const KernelRegistry& kernels,
                                 const PlanOptions& options);
std::unique_ptr<Graph> sumProducts(const Graph& graph, const InputTypes& inputTypes,
                                   const OpCatalog& catalog, const KernelRegistry& kernels,
                                   const PlanOptions& options);
void useFewerOperations(PlanDraft& draft, const PlanFacts& facts);
void foldTransposes(PlanDraft& draft, const PlanFacts& facts);
void joinProducts(PlanDraft& draft, const PlanFacts& facts);
void moveAccumulators(PlanDraft& draft, const PlanFacts& facts);
void makeMasksEarly(PlanDraft& draft, const PlanFacts& facts);
void blockChannels(PlanDraft& draft, const PlanFacts& facts);
void remakeValues(PlanDraft& draft, const PlanFacts& facts);
void fuseElementwise(PlanDraft& draft, const PlanFacts& facts);
void fuseEpilogues(PlanDraft& draft, const PlanFacts& facts);
void writeIntoAccumulators(PlanDraft& draft, const PlanFacts& facts);
void viewParts(PlanDraft& draft, const PlanFacts& facts);

}  // namespace temper
