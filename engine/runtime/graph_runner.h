// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/executor.h"

namespace temper {

/// Runs a graph on whatever shapes come: compiles a plan for each set of input shapes and keeps the
/// latest ones, so that a smaller last batch costs one compilation.
///
/// Inputs are fixed (parameters, bound once) or fed with each run. Thread: one at a time.
class GraphRunner {
public:
    GraphRunner(std::shared_ptr<const Graph> graph, const OpCatalog& catalog,
                const KernelRegistry& kernels, std::shared_ptr<Arena> arena, ThreadPool& pool,
                PlanOptions options = {});

    const Graph& graph() const { return *graph_; }

    /// The tensors of an input (one, or a sequence) in every later run, used in place. The memory
    /// may change its content, not its place or type.
    void bindFixed(const std::string& input, std::vector<Tensor> tensors);

    /// Inputs that are not fixed, in graph order: what run() is fed.
    const std::vector<std::string>& fedInputs() const { return fedInputs_; }

    /// `feeds` in the order of fedInputs(); an empty tensor where nothing reads the input.
    /// Returns: the graph's outputs, valid until the arena is used again.
    /// Throws: Error(InvalidInput) for a wrong number, type or shape of feeds.
    std::span<const Tensor> run(std::span<const Tensor> feeds, uint64_t seed = 0);

    /// See Executor::findNonFinite().
    std::string findNonFinite(std::span<const Tensor> feeds, uint64_t seed = 0);

    void setProfile(Profile* profile);

    /// Of the largest plan compiled so far.
    size_t arenaBytes() const { return arenaBytes_; }

private:
    Executor& executorFor(std::span<const Tensor> feeds);
    bool fits(const Executor& executor, std::span<const Tensor> feeds) const;
    Executor& compile(std::span<const Tensor> feeds);
    void bindFeeds(Executor& executor, std::span<const Tensor> feeds);

    std::shared_ptr<const Graph> graph_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    std::shared_ptr<Arena> arena_;
    ThreadPool& pool_;
    PlanOptions options_;
    std::map<std::string, std::vector<Tensor>> fixed_;
    std::vector<std::string> fedInputs_;
    std::vector<size_t> fedPositions_;
    std::list<Executor> executors_;  ///< latest used first
    Profile* profile_ = nullptr;
    size_t arenaBytes_ = 0;
};

}  // namespace temper
