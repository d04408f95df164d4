// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/ir/graph_set.h"
#include "engine/ir/graph_table.h"
#include "engine/runtime/planning/plan_draft.h"
#include "engine/runtime/planning/plan_types.h"

namespace temper {

/// The steps of a graph as written: concrete types, prepared kernels and buffers, node by node in
/// topological order. Values known before the run are computed.
class PlanAssembly {
public:
    /// All of these have to outlive it.
    PlanAssembly(const Graph& graph, const OpCatalog& catalog, const KernelRegistry& kernels,
                 const PlanOptions& options)
        : graph_(graph),
          catalog_(catalog),
          kernels_(kernels),
          options_(options),
          inference_(graph, catalog, values_) {}

    /// Call once. Throws: see ExecutionPlan::compile().
    PlanDraft build(const InputTypes& inputTypes);

    /// Bytes that a value takes in the arena of the plan that was built, and passes since; 0 if it
    /// is elsewhere.
    size_t bytesOf(const Value& value, const PlanDraft& draft) const;
    /// Whether a node changes its inputs.
    bool isChanging(const Node& node) const { return changing_.contains(&node); }
    /// KernelTraits::flops; 0 for a node without a step.
    int64_t flopsOf(const Node& node) const {
        const int64_t* flops = flops_.find(&node);
        return flops == nullptr ? 0 : *flops;
    }

private:
    void addInputPorts();
    void addOutputPorts();
    const std::vector<uint32_t>& buffersOf(const Value* value);
    void addNode(const Node& node);
    void requireNoEvaluation(const Node& node) const;
    bool allOutputsKnown(const Node& node) const;
    std::unique_ptr<Kernel> prepare(const Node& node) const;
    void addStep(const Node& node, std::unique_ptr<Kernel> kernel);
    void makeMutable(const Value* value);
    size_t addViews(const Node& node, const KernelTraits& traits);
    void addElements(const Node& node, const KernelTraits& traits);
    bool makesTensor(const Node& node) const;
    void addInputs(const Node& node, ExecutionPlan::Step& step);
    size_t addOutputs(const Node& node, const KernelTraits& traits, ExecutionPlan::Step& step);

    const Graph& graph_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    const PlanOptions& options_;
    PlanValues values_;
    ConcreteInference inference_;
    PlanDraft draft_;
    GraphSet<Node> changing_;  ///< their inputs
    NodeTable<int64_t> flops_;
};

}  // namespace temper
