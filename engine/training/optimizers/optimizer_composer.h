// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/autodiff/gradient.h"
#include "engine/autodiff/var.h"
#include "engine/ir/graph.h"
#include "engine/training/blocks/name_counter.h"

namespace temper {

/// Builds an optimizer model for ONNX Runtime, which looks for exactly one AdamWOptimizer or
/// SGDOptimizerV2 at the top level and reads nothing back: parameters and moments have to change in
/// place. Only these two operators change tensors of a sequence in place, so every change ends in
/// one of them; those after the first one are in the body of an If on its flag, which also makes
/// them wait for it.
class OptimizerComposer {
public:
    /// The tensors of one parameter in the body of a loop over all of them.
    class Element {
    public:
        Element(OptimizerComposer& composer, GradientEmitter& emitter, Value* index)
            : composer_(composer), emitter_(emitter), index_(index) {}

        Var weight() const { return at(composer_.parameters_); }
        Var gradient() const { return at(composer_.gradients_); }
        Var first() const { return at(composer_.first_); }
        Var second() const { return at(composer_.second_); }
        Var at(const Value* sequence) const;
        /// A value of the graph around the loop.
        Var outer(const Value* value) const;

    private:
        OptimizerComposer& composer_;
        GradientEmitter& emitter_;
        Value* index_;
    };
    using Formula = std::function<Var(const Element&)>;

    OptimizerComposer(const OpCatalog& catalog, int64_t opset, NameCounter& names, size_t moments);

    // Inputs of the model.
    Value* learningRate() const { return learningRate_; }
    Value* gradients() const { return gradients_; }
    Value* first() const { return first_; }
    /// The step as float [1].
    Var step();
    /// A constant of the top graph.
    Var number(double value) { return variable(constant(static_cast<float>(value))); }
    Var variable(Value* value) { return {top_.get(), value}; }

    /// InplaceClipGradNorm, as ORT's generator writes it; 0: none.
    void clipNorm(double norm);
    /// Replaces the gradients that later formulas and nodes read.
    void replaceGradients(const Formula& formula);

    /// A sequence of the formula's value for each parameter.
    Value* map(const Formula& formula);

    /// The one optimizer node at the top level. Returns: its flag.
    Value* sgd(Value* rate, Value* changes);
    /// `rate` null: the learning rate.
    Value* adam(Value* rate, Attributes attributes);
    /// Temper's own operator with all inputs of the model, for the engine itself.
    Value* fused(Attributes attributes);
    /// A constant [1].
    Value* constant(float value);

    /// Puts what `build` adds into the body of an If on `flag`; map() and the following two work
    /// there. Returns: the flag of all of it.
    Value* after(Value* flag, const std::function<void()>& build);
    /// parameters <- parameters - rate * changes
    void changeParameters(Value* changes);
    /// moments <- values
    void assignFirst(const Formula& values);

    /// Whether there are bodies, so that only ONNX Runtime runs the model as it is.
    bool isComposed() const { return isComposed_; }
    std::unique_ptr<Graph> finish(Value* flag);

private:
    Value* sequence(const std::string& name);
    Value* visible(const Value* value);
    Value* updateNode(const std::string& op, const std::string& flag, std::vector<Value*> inputs,
                      Attributes attributes, SymbolicShape shape);
    std::shared_ptr<const Graph> elseBranch(Value* flag);
    Value* flat(Graph& graph, Value* flag, const std::string& name);
    std::string unique(const std::string& stem);

    const OpCatalog& catalog_;
    NameCounter& names_;
    std::unique_ptr<Graph> graph_ = std::make_unique<Graph>();
    std::unique_ptr<GradientEmitter> top_;
    Graph* scope_ = nullptr;       ///< the graph that nodes are added to
    std::vector<Value*> changed_;  ///< flags of the If body
    int bodies_ = 0;
    bool isComposed_ = false;
    Value* learningRate_ = nullptr;
    Value* step_ = nullptr;
    Value* parameters_ = nullptr;
    Value* gradients_ = nullptr;
    Value* first_ = nullptr;
    Value* second_ = nullptr;
};

}  // namespace temper
