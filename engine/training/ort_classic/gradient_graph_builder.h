// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/ops/op_set.h"

namespace temper {

/// What to differentiate.
struct GradientGraphRequest {
    std::vector<std::string> outputs;  ///< values that gradients start from; ORT's y
    std::vector<std::string> inputs;   ///< initializers, graph inputs or values between; ORT's x
    /// The one of `outputs` whose gradient is 1; empty: none.
    std::string loss;
};

/// Extends a forward model to compute gradients, too.
///
/// Each x adds a graph output `<x>_grad`. The loss starts from the initializer `<loss>_grad` of 1;
/// each other y from an added graph input `<y>_grad` of y's type, so that the model computes a
/// vector-Jacobian product. Graph inputs, outputs and initializers of the forward model stay.
/// Source: spec/training_api.md section 10.4.
class GradientGraphBuilder {
public:
    /// Copies the model. A y that no x influences gets no gradient, and no input.
    /// Throws: Error(NotFound) for a y or x that the graph lacks; Error(InvalidInput) for a y that
    /// is an initializer, an x that nothing reads or that no y depends on, a loss that is not among
    /// the outputs or not a single number, and for a model that contradicts itself.
    GradientGraphBuilder(const Graph& model, GradientGraphRequest request,
                         std::shared_ptr<const OpSet> ops);
    /// The same for a model file in memory.
    GradientGraphBuilder(std::span<const std::byte> model, GradientGraphRequest request,
                         const std::shared_ptr<const OpSet>& ops);

    /// Adds the gradients; once. Throws: Error(Unsupported) for an operator without a gradient,
    /// Error(State) if it was called before. The model is then unchanged.
    void build();

    /// The gradient model. These throw Error(State) before build().
    const Graph& model() const;
    /// The contents of its file.
    std::string modelBytes() const;
    /// Throws: Error(Io).
    void save(const std::filesystem::path& path) const;

private:
    Value* findOutput(const std::string& name) const;
    Value* findInput(const std::string& name) const;
    void check();
    void checkLoss() const;
    Value* seedFor(Graph& graph, const std::string& output) const;
    void addGradients(Graph& graph) const;

    GradientGraphRequest request_;
    std::shared_ptr<const OpSet> ops_;
    std::unique_ptr<Graph> graph_;
    std::vector<std::string> seeds_;  ///< the outputs that an x influences
    bool isBuilt_ = false;
};

}  // namespace temper
