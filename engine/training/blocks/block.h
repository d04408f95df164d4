// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string_view>

#include "engine/core/error.h"
#include "engine/training/blocks/block_model.h"
#include "engine/training/blocks/blocks.h"

namespace temper::blocks {

/// Part of a model that a program adds, like `onnxblock.Block` in ORT: derive from it and write
/// build() with the functions of blocks.h and loss_blocks.h, or with other blocks.
///
///     class WeightedLoss : public blocks::Block {
///         blocks::Values build(BlockModel& model, const blocks::Values& outputs) override {
///             Value* share1 = blocks::constant(model, 0.4F);
///             Value* loss1 = blocks::mse(model, outputs[0], "target1");
///             loss1 = blocks::mul(model, share1, loss1);
///             ...
///             return {blocks::add(model, loss1, loss2)};
///         }
///     };
class Block {
public:
    Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    virtual ~Block() = default;

    /// Adds the block to the model. Returns: what build() returns; for a loss, the loss first.
    /// Throws: Error(InvalidInput) if build() returns nothing, or values of another graph;
    /// and what build() throws.
    virtual Values operator()(BlockModel& model, const Values& inputs);
    /// The same for named values. Throws: Error(NotFound) for an unknown name.
    Values operator()(BlockModel& model, std::initializer_list<std::string_view> names);

protected:
    virtual Values build(BlockModel& model, const Values& inputs) = 0;
};

/// Throws: Error(InvalidInput) for a loss that is more than one number, or not float32, as seeds of
/// gradients are.
void requireSingleNumber(const Value& loss);

}  // namespace temper::blocks
