// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/core/shape.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// The layout of a kernel's operands in memory: their strides in elements, by the axes that they
/// have for the operator; empty if an operand is dense.
struct OperandOrders {
    std::vector<Shape> inputs;
    Shape output;
};

/// A kernel with one output that also exists for other orders of the axes: it reads what a
/// Transpose would have copied, and writes what one would. It computes the same numbers.
class ReorderableKernel final : public Kernel {
public:
    /// Makes the kernel for these orders; null if there is none.
    using Maker = std::function<std::unique_ptr<Kernel>(const OperandOrders&)>;

    /// `inputs`: the number of leading inputs that may have another order.
    ReorderableKernel(const PrepareContext& context, size_t inputs, Maker maker)
        : outputShape_(context.output(0).shape), maker_(std::move(maker)) {
        for (size_t i = 0; i < inputs; ++i) inputShapes_.push_back(context.input(i).shape);
        plain_ = maker_({std::vector<Shape>(inputs), {}});
        traits_ = plain_->traits();
    }

    const std::vector<Shape>& inputShapes() const { return inputShapes_; }
    const Shape& outputShape() const { return outputShape_; }
    std::unique_ptr<Kernel> withOrders(const OperandOrders& orders) const { return maker_(orders); }
    void run(const RunContext& context) const override { plain_->run(context); }
    KernelCapabilities capabilities() const override {
        const KernelCapabilities plain = plain_->capabilities();
        return {.reorderable = this, .tasks = plain.tasks, .finishesParts = plain.finishesParts};
    }

private:
    std::vector<Shape> inputShapes_;
    Shape outputShape_;
    Maker maker_;
    std::unique_ptr<Kernel> plain_;
};

/// A kernel that copies input 0 to another order of its axes: axis i of the output is axis
/// permutation[i] of the input.
class TransposeKernel final : public Kernel {
public:
    TransposeKernel(Shape input, std::vector<size_t> permutation, std::unique_ptr<Kernel> copy)
        : input_(std::move(input)), permutation_(std::move(permutation)), copy_(std::move(copy)) {
        traits_ = copy_->traits();
    }

    const Shape& inputShape() const { return input_; }
    Shape outputShape() const {
        Shape shape;
        for (const size_t axis : permutation_) shape.push_back(input_[axis]);
        return shape;
    }
    /// The layout of the output's elements in the input: strides by the output's axes.
    Shape stridesInInput() const {
        const Shape strides = stridesOf(input_);
        Shape result;
        for (const size_t axis : permutation_) result.push_back(strides[axis]);
        return result;
    }
    /// The layout of the input's elements in the output: strides by the input's axes.
    Shape stridesInOutput() const {
        const Shape strides = stridesOf(outputShape());
        Shape result(input_.size());
        for (size_t i = 0; i < permutation_.size(); ++i) result[permutation_[i]] = strides[i];
        return result;
    }
    void run(const RunContext& context) const override { copy_->run(context); }
    KernelCapabilities capabilities() const override { return {.transpose = this}; }

private:
    Shape input_;
    std::vector<size_t> permutation_;
    std::unique_ptr<Kernel> copy_;
};

}  // namespace temper
