// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/ops/op_set.h"
#include "engine/ort/checkpoint_file.h"
#include "engine/training/blocks/block.h"

namespace temper::blocks {

/// A block that makes a forward model: what build() returns become the model's outputs.
class ForwardBlock : public Block {
public:
    using Block::operator();
    Values operator()(BlockModel& model, const Values& inputs) override;

    /// A copy of the model. Throws: Error(State) before the block is called.
    std::unique_ptr<Graph> toModelProto() const;

private:
    std::unique_ptr<Graph> forward_;
};

/// A block that makes a training and an eval model: build() returns the loss, followed by further
/// outputs of both models.
///
///     block.requiresGrad("fc.weight");
///     block(model, {"output"});
///     const auto& [trainable, frozen] = ...block.parameters();
///     saveModel(*block.toModelProto().training, "training_model.onnx");
class TrainingBlock : public Block {
public:
    explicit TrainingBlock(std::shared_ptr<const OpSet> ops) : ops_(std::move(ops)) {}

    /// Before the call: the initializer (or graph input) gets a gradient; with `false` it is
    /// frozen. The last call for a name counts. Initializers that are never named stay constants.
    void requiresGrad(const std::string& name, bool value = true) { wanted_[name] = value; }

    using Block::operator();
    /// Builds on the model, whose outputs become those of build(), and makes the two models from a
    /// copy. Throws: Error(NotFound) for a name that the graph lacks, Error(InvalidInput) for a
    /// loss that is not a float32 scalar or that a trainable name does not influence,
    /// Error(Unsupported) for an operator without a gradient.
    Values operator()(BlockModel& model, const Values& inputs) override;

    /// Trainable and frozen parameters with their data, in initializer order, as checkpoints hold
    /// them (writeCheckpoint()). Throws: Error(State) before the block is called.
    const CheckpointFile& parameters() const;

    struct Models {
        std::shared_ptr<const Graph> training;
        std::shared_ptr<const Graph> eval;
    };
    /// Throws: Error(State) before the block is called.
    const Models& toModelProto() const;

private:
    void checkNames(const Graph& graph) const;

    std::shared_ptr<const OpSet> ops_;
    std::map<std::string, bool> wanted_;
    Models models_;
    CheckpointFile parameters_;
};

}  // namespace temper::blocks
