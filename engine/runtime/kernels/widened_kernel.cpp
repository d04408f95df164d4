// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/kernels/widened_kernel.h"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "engine/core/half.h"
#include "engine/runtime/cpu/bfloat16_conversion.h"
#include "engine/runtime/cpu/scratch_layout.h"

namespace temper {
namespace {

constexpr int64_t kGrain = 16384;

bool isHalf(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

void widen(DType dtype, const uint16_t* from, int64_t count, float* to) {
    if (dtype == DType::Float16) {
        std::transform(from, from + count, to, floatFromHalf);
    } else {
        simd::fromBFloat16(reinterpret_cast<const BFloat16*>(from), to, count);
    }
}

void narrow(DType dtype, const float* from, int64_t count, uint16_t* to) {
    if (dtype == DType::Float16) {
        std::transform(from, from + count, to, halfFromFloat);
    } else {
        simd::toBFloat16(from, reinterpret_cast<BFloat16*>(to), count);
    }
}

/// The node as the kernel for float32 sees it.
class WideContext {
public:
    explicit WideContext(const PrepareContext& context)
        : context_(context.node(), context.opset(), inputsOf(context), outputsOf(context),
                   toolsOf(context)) {}

    const PrepareContext& get() const { return context_; }

private:
    static void widenTypes(std::vector<TensorType>& types) {
        for (TensorType& type : types) {
            if (isHalf(type.dtype)) type.dtype = DType::Float32;
        }
    }

    std::vector<PrepareContext::Input> inputsOf(const PrepareContext& context) {
        std::vector<PrepareContext::Input> inputs = context.inputs();
        for (PrepareContext::Input& input : inputs) {
            widenTypes(input.elements);
            if (input.constant != nullptr) {
                const bool wide = !isHalf(input.constant->dtype());
                input.constant = &constants_.emplace_back(
                    wide ? *input.constant : input.constant->cast(DType::Float32));
            }
        }
        return inputs;
    }

    /// Layouts of wide constants, which exist here only, are not shared.
    static BodyTools toolsOf(const PrepareContext& context) {
        BodyTools tools = context.bodyTools();
        tools.layouts = nullptr;
        return tools;
    }

    static std::vector<PrepareContext::Output> outputsOf(const PrepareContext& context) {
        std::vector<PrepareContext::Output> outputs = context.outputs();
        for (PrepareContext::Output& output : outputs) widenTypes(output.elements);
        return outputs;
    }

    std::list<Tensor> constants_;  // before context_, which points into it
    PrepareContext context_;
};

/// A tensor that is converted for each run.
struct Conversion {
    size_t position = 0;  ///< of the input or output
    DType dtype = DType::Undefined;
    int64_t count = 0;
    size_t offset = 0;  ///< of its float32 copy in the scratch memory
};

class WidenedKernel final : public Kernel {
public:
    WidenedKernel(std::unique_ptr<Kernel> inner, const PrepareContext& context)
        : inner_(std::move(inner)) {
        const KernelTraits& traits = inner_->traits();
        traits_.isRandom = traits.isRandom;
        traits_.flops = traits.flops;
        ScratchLayout layout;
        innerScratchAt_ = layout.add(traits.scratchBytes);
        addInputs(context, layout);
        addOutputs(context, layout);
        addressesAt_ = layout.add((1 + inputCount_ + outputCount_) * sizeof(void*));
        traits_.scratchBytes = layout.bytes();
    }

    void run(const RunContext& context) const override {
        auto* const addresses = reinterpret_cast<void**>(context.scratch() + addressesAt_);
        addresses[0] = nullptr;
        for (size_t i = 0; i < inputCount_; ++i) addresses[1 + i] = context.mutableIn<void>(i);
        for (size_t i = 0; i < outputCount_; ++i) {
            addresses[1 + inputCount_ + i] = context.out<void>(i);
        }
        for (const Conversion& input : inputs_) {
            auto* wide = reinterpret_cast<float*>(context.scratch() + input.offset);
            const auto* from = context.in<uint16_t>(input.position);
            context.pool().forRanges(input.count, kGrain, [&](int64_t begin, int64_t end) {
                widen(input.dtype, from + begin, end - begin, wide + begin);
            });
            addresses[1 + input.position] = wide;
        }
        for (const Conversion& output : outputs_) {
            addresses[1 + inputCount_ + output.position] = context.scratch() + output.offset;
        }
        inner_->run(RunContext(addresses, inputBuffers_.data(), inputBegins_.data(),
                               outputBuffers_.data(), context.scratch() + innerScratchAt_,
                               context.pool(), context.seed()));
        for (const Conversion& output : outputs_) {
            const auto* wide = reinterpret_cast<const float*>(context.scratch() + output.offset);
            auto* to = context.out<uint16_t>(output.position);
            context.pool().forRanges(output.count, kGrain, [&](int64_t begin, int64_t end) {
                narrow(output.dtype, wide + begin, end - begin, to + begin);
            });
        }
    }

private:
    static Conversion convert(size_t position, const TensorType& type, ScratchLayout& layout) {
        const auto count = type.numElements();
        return {position, type.dtype, count,
                layout.add(static_cast<size_t>(count) * sizeof(float))};
    }

    void addInputs(const PrepareContext& context, ScratchLayout& layout) {
        inputCount_ = context.inputCount();
        for (size_t i = 0; i < std::max(inputCount_, kMinPositions); ++i) {
            const bool isThere = context.hasInput(i);
            inputBegins_.push_back(static_cast<uint32_t>(i));
            inputBuffers_.push_back(isThere ? static_cast<uint32_t>(1 + i) : 0);
            if (isThere && isHalf(context.input(i).dtype)) {
                inputs_.push_back(convert(i, context.input(i), layout));
            }
        }
        inputBegins_.push_back(static_cast<uint32_t>(inputBuffers_.size()));
    }

    void addOutputs(const PrepareContext& context, ScratchLayout& layout) {
        outputCount_ = context.outputCount();
        for (size_t i = 0; i < std::max(outputCount_, kMinPositions); ++i) {
            const bool isThere = context.hasOutput(i);
            outputBuffers_.push_back(isThere ? static_cast<uint32_t>(1 + inputCount_ + i) : 0);
            if (isThere && isHalf(context.output(i).dtype)) {
                outputs_.push_back(convert(i, context.output(i), layout));
            }
        }
    }

    std::unique_ptr<Kernel> inner_;
    size_t inputCount_ = 0;
    size_t outputCount_ = 0;
    size_t innerScratchAt_ = 0;
    size_t addressesAt_ = 0;
    std::vector<Conversion> inputs_;
    std::vector<Conversion> outputs_;
    std::vector<uint32_t> inputBuffers_;
    std::vector<uint32_t> inputBegins_;
    std::vector<uint32_t> outputBuffers_;
};

}  // namespace

bool usesHalfPrecision(const PrepareContext& context) {
    for (size_t i = 0; i < context.inputCount(); ++i) {
        if (context.hasInput(i) && isHalf(context.input(i).dtype)) return true;
    }
    for (const PrepareContext::Output& output : context.outputs()) {
        if (!output.elements.empty() && isHalf(output.elements.front().dtype)) return true;
    }
    return false;
}

std::unique_ptr<Kernel> prepareWidened(const KernelFactory& factory,
                                       const PrepareContext& context) {
    const bool hasSequence =
        std::ranges::any_of(context.inputs(), &PrepareContext::Input::isSequence) ||
        std::ranges::any_of(context.outputs(), &PrepareContext::Output::isSequence);
    const WideContext wide(context);
    std::unique_ptr<Kernel> inner = factory(wide.get());
    if (hasSequence || !inner->traits().views.empty() || !inner->traits().mutatedInputs.empty()) {
        context.fail(ErrorCode::Unsupported,
                     "The operator is not supported for numbers of half precision.",
                     "Convert the model to float32.");
    }
    return std::make_unique<WidenedKernel>(std::move(inner), context);
}

}  // namespace temper
