// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/core/value_data.h"
#include "engine/ir/graph.h"
#include "engine/ir/op_catalog.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/unknown_data.h"

namespace temper {

/// Runs a graph on inputs of any shapes: compiles a plan for each set of input shapes and keeps the
/// latest ones, so that a smaller last batch costs one compilation.
///
/// If shapes depend on data (a Reshape by a computed shape, NonZero, If, Loop), the values that
/// decide are computed first, by a runner of the part of the graph that makes them; the graph is
/// then specialized for them and compiled like any other. Plans are kept by these values, too.
///
/// Inputs are fixed (parameters, bound once) or fed with each run; captures of a body are inputs.
/// Thread: one at a time.
class GraphRunner {
public:
    GraphRunner(std::shared_ptr<const Graph> graph, const OpCatalog& catalog,
                const KernelRegistry& kernels, std::shared_ptr<Arena> arena, ThreadPool& pool,
                PlanOptions options = {});

    const Graph& graph() const { return *graph_; }

    /// Sets the tensors of an input (one, or a sequence) for every later run, used in place. The
    /// content of the memory may change, but not its address or type.
    void bindFixed(const std::string& input, std::vector<Tensor> tensors);
    /// The same for many inputs, by name.
    void bindAllFixed(std::map<std::string, std::vector<Tensor>> inputs);

    /// Inputs that are not fixed, in graph order: the feeds of run().
    const std::vector<std::string>& fedInputs() const { return fedInputs_; }

    /// `feeds` in the order of fedInputs(); an empty tensor if nothing reads the input.
    /// Returns: the graph's outputs, in the memory of the arena's device, valid until the arena is
    /// used again.
    /// Throws: Error(InvalidInput) for a wrong number, type or shape of feeds, Error(Unsupported)
    /// if an output is a sequence or nothing.
    std::span<const Tensor> run(std::span<const Tensor> feeds, uint64_t seed = 0);

    /// The same for graphs whose inputs or outputs may be sequences or optionals. A plan is
    /// compiled for each length of the sequences.
    std::vector<ValueData> runOn(std::span<const ValueData> feeds, uint64_t seed = 0);

    /// See Executor::findNonFinite().
    std::string findNonFinite(std::span<const Tensor> feeds, uint64_t seed = 0);

    void setProfile(Profile* profile);
    /// See Executor::onWritten(): of fixed inputs.
    void onWritten(const WrittenCallback& callback);

    /// That of the largest plan compiled so far.
    size_t arenaBytes() const;
    /// See ExecutionPlan; of that plan.
    size_t activationBytes() const;

private:
    /// A tensor, or those of a sequence; nothing for an input that is not fed.
    using Feed = std::optional<std::span<const Tensor>>;
    using FeedTypes = std::optional<std::vector<TensorType>>;

    /// A plan with the types of the feeds that it was compiled for.
    struct Compiled {
        std::vector<FeedTypes> feeds;
        Executor executor;
    };
    /// The graph specialized for the data of decisive_, in that order.
    struct Specialized {
        std::vector<ValueData> known;
        std::vector<std::optional<size_t>> feeds;  ///< of the inner runner: feeds of this one
        std::unique_ptr<GraphRunner> runner;
    };

    static bool isOfTypes(const Feed& feed, const FeedTypes& types);
    void setFeeds(std::span<const Tensor> feeds);
    /// Returns: what has run.
    Executor& execute(std::span<const Feed> feeds, uint64_t seed);
    std::string findNonFiniteIn(std::span<const Feed> feeds, uint64_t seed);
    /// Null if the graph has to be specialized first.
    Executor* executorFor(std::span<const Feed> feeds);
    Compiled& compile(std::span<const Feed> feeds);
    void waitForDevice() const;
    void bindFixed(Executor& executor) const;
    void stage(const UnknownData& reason);
    std::unique_ptr<GraphRunner> runnerOf(std::shared_ptr<const Graph> graph,
                                          const PlanOptions& options) const;
    /// The runner of the specialized graph, and what to feed it (in innerFeeds_).
    GraphRunner& specializedFor(std::span<const Feed> feeds, uint64_t seed);
    Specialized& addSpecialized(std::vector<ValueData> known, uint64_t seed);

    std::shared_ptr<const Graph> graph_;
    const OpCatalog& catalog_;
    const KernelRegistry& kernels_;
    std::shared_ptr<Arena> arena_;
    ThreadPool& pool_;
    PlanOptions options_;
    std::map<std::string, std::vector<Tensor>> fixed_;
    std::vector<std::string> fedInputs_;
    std::vector<size_t> fedPositions_;             ///< of the fed inputs among the plans'
    std::list<Compiled> compiled_;                 ///< most recently used first
    bool isStaged_ = false;                        ///< runs go through specialized graphs
    std::vector<std::string> decisive_;            ///< values that have to be known for these
    std::unique_ptr<GraphRunner> decisiveRunner_;  ///< computes them; null if there are none
    std::list<Specialized> specialized_;           ///< most recently used first
    std::vector<Feed> feeds_;
    std::vector<Feed> innerFeeds_;
    Profile* profile_ = nullptr;
    WrittenCallback written_;
    size_t arenaBytes_ = 0;
    size_t activationBytes_ = 0;
};

}  // namespace temper
