// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/core/shape.h"
#include "engine/runtime/kernel.h"

namespace temper {

/// Images may be stored as [N, C, H, W], or in blocks of channels: [N, C / 16, H, W, 16]. Then
/// convolutions need not rearrange them, and sums over pixels process 16 channels at a time.
inline constexpr int64_t kChannelBlock = 16;

inline bool mayBeBlocked(const Shape& shape) {
    return shape.size() == 4 && shape[1] % kChannelBlock == 0 && numElements(shape) > 0;
}

/// Sets of a kernel's inputs and outputs, one bit each.
struct BlockedOperands {
    uint32_t inputs = 0;
    uint32_t outputs = 0;

    bool hasInput(size_t i) const { return i < 32 && (inputs >> i & 1U) != 0; }
    bool hasOutput(size_t i) const { return i < 32 && (outputs >> i & 1U) != 0; }
    bool isEmpty() const { return inputs == 0 && outputs == 0; }
};

/// A kernel that also exists for blocked images; it computes the same numbers.
class BlockableKernel final : public Kernel {
public:
    /// Makes the kernel for the case that exactly those operands are blocked.
    using Maker = std::function<std::unique_ptr<Kernel>(BlockedOperands)>;

    /// `blockable`: the images with mayBeBlocked() shapes. `allOrNone`: they must all have the same
    /// layout. `fewerOperations`: makes inFewerOperations(); empty if there is none.
    BlockableKernel(const PrepareContext& context, BlockedOperands blockable, bool allOrNone,
                    Maker maker, Maker fewerOperations = {})
        : BlockableKernel(blockable, allOrNone, std::move(maker)) {
        fewerOperations_ = std::move(fewerOperations);
        for (size_t i = 0; i < context.inputCount(); ++i)
            inputShapes_.push_back(blockable.hasInput(i) ? context.input(i).shape : Shape());
        for (size_t i = 0; i < context.outputCount(); ++i)
            outputShapes_.push_back(blockable.hasOutput(i) ? context.output(i).shape : Shape());
    }

    BlockedOperands blockable() const { return blockable_; }
    /// Shapes of the blockable operands; the others' are empty.
    const std::vector<Shape>& inputShapes() const { return inputShapes_; }
    const std::vector<Shape>& outputShapes() const { return outputShapes_; }
    bool isAllOrNone() const { return isAllOrNone_; }
    std::unique_ptr<Kernel> withBlocked(BlockedOperands operands) const { return maker_(operands); }
    void run(const RunContext& context) const override { plain_->run(context); }
    /// Those of the kernel for plain images, too.
    KernelCapabilities capabilities() const override {
        KernelCapabilities can = plain_->capabilities();
        can.blockable = this;
        return can;
    }

    /// The same operator in fewer operations, with other roundings; null if there is none.
    std::unique_ptr<Kernel> inFewerOperations() const {
        if (!fewerOperations_) return nullptr;
        std::unique_ptr<BlockableKernel> kernel(
            new BlockableKernel(blockable_, isAllOrNone_, fewerOperations_));
        kernel->inputShapes_ = inputShapes_;
        kernel->outputShapes_ = outputShapes_;
        return kernel;
    }

private:
    BlockableKernel(BlockedOperands blockable, bool allOrNone, Maker maker)
        : blockable_(blockable),
          isAllOrNone_(allOrNone),
          maker_(std::move(maker)),
          plain_(maker_({})) {
        traits_ = plain_->traits();
    }

    BlockedOperands blockable_;
    bool isAllOrNone_;
    std::vector<Shape> inputShapes_;
    std::vector<Shape> outputShapes_;
    Maker maker_;
    Maker fewerOperations_;
    std::unique_ptr<Kernel> plain_;
};

/// The images among these operands that may be blocked, and indices of their pixels.
inline BlockedOperands blockableOf(const PrepareContext& context, BlockedOperands candidates) {
    BlockedOperands blockable;
    const auto fits = [](const TensorType& type) {
        const bool isKnown = type.dtype == DType::Float32 || type.dtype == DType::BFloat16 ||
                             type.dtype == DType::Int64;
        return isKnown && mayBeBlocked(type.shape);
    };
    for (uint32_t i = 0; i < context.inputCount(); ++i) {
        if (candidates.hasInput(i) && context.hasInput(i) && fits(context.input(i)))
            blockable.inputs |= 1U << i;
    }
    for (uint32_t i = 0; i < context.outputCount(); ++i) {
        if (candidates.hasOutput(i) && context.hasOutput(i) && fits(context.output(i)))
            blockable.outputs |= 1U << i;
    }
    return blockable;
}

/// A blockable kernel, or the plain one if no operand may be blocked.
inline std::unique_ptr<Kernel> makeBlockable(const PrepareContext& context,
                                             BlockedOperands blockable, bool allOrNone,
                                             BlockableKernel::Maker maker,
                                             BlockableKernel::Maker fewerOperations = {}) {
    if (blockable.isEmpty()) return maker({});
    return std::make_unique<BlockableKernel>(context, blockable, allOrNone, std::move(maker),
                                             std::move(fewerOperations));
}

}  // namespace temper
