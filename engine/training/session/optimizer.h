// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/session/module.h"

namespace temper {

/// Updates the trainable parameters of a state from their gradients with an optimizer model.
/// Source: spec/training_api.md section 4. Thread: one at a time.
class Optimizer {
public:
    /// Moments that the state lacks start at zero; the rate is the state's, or else
    /// kDefaultLearningRate. `parameters` are the trainable ones, which have data and gradients.
    /// The state has to outlive the optimizer. Throws: Error(InvalidInput) if the model is not an
    /// optimizer model, or moments of the state do not fit the parameters.
    Optimizer(std::shared_ptr<const Graph> model, const std::vector<std::string>& parameters,
              CheckpointState& state, const ExecutionContext& context);
    /// For the module's trainable parameters. While its state is nominal, the moments are not
    /// created.
    Optimizer(std::shared_ptr<const Graph> model, const Module& module)
        : Optimizer(std::move(model), module.trainableParameters(), module.state(),
                    module.context()) {}

    /// Throws: Error(State) for a nominal state.
    void step();

    /// The rate is a property of the state, so that a checkpoint has it.
    float learningRate() const;
    void setLearningRate(float learningRate);

    /// Sets the rate and what a schedule starts from.
    void setInitialLearningRate(float learningRate);

    void setProfile(Profile* profile);

private:
    const Node& checkModel() const;
    std::vector<std::string> orderOf(const Node& node,
                                     const std::vector<std::string>& parameters) const;
    void bind();
    std::vector<Tensor> moments(const std::vector<std::string>& parameters,
                                const std::string& name);

    std::shared_ptr<const Graph> model_;
    std::vector<std::string> parameters_;
    CheckpointState& state_;
    ExecutionContext context_;
    size_t momentCount_ = 0;
    Profile* profile_ = nullptr;
    Tensor rate_;
    Tensor step_;
    std::unique_ptr<GraphRunner> runner_;  ///< null while the state is nominal
};

}  // namespace temper
