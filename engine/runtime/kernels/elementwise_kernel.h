// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/runtime/kernels/partwise_kernel.h"
#include "engine/runtime/kernels/row_kernel.h"

namespace temper {

/// A kernel with one output, each element of which follows from the elements of the inputs at the
/// same index, and from numbers: its blocks are any contiguous elements. The result of an element
/// does not depend on its index.
class ElementwiseKernel : public BlockKernel, public PartwiseKernel {
public:
    struct Operand {
        size_t elementBytes = 0;
        bool isNumber = false;  ///< one element for all; its address may be null if omitted
    };
    struct Form {
        int64_t count = 0;              ///< of the output and of every operand except numbers
        size_t outputBytes = 0;         ///< of an element
        std::vector<Operand> operands;  ///< at most kMaxOperands
        int64_t grain = 0;              ///< elements that are worth a thread
    };

    const Form& form() const { return form_; }

    void run(const RunContext& context) const final {
        context.pool().forRanges(form_.count, form_.grain,
                                 [&](int64_t begin, int64_t end) { runPart(context, begin, end); });
    }

    KernelCapabilities capabilities() const final {
        return {.blocks = this, .partwise = this, .elementwise = this};
    }

    int64_t elements() const final { return form_.count; }
    void runPart(const RunContext& context, int64_t begin, int64_t end) const final {
        std::array<const void*, kMaxOperands> inputs{};
        for (size_t i = 0; i < form_.operands.size(); ++i)
            inputs[i] = addressOf(i, context.in<std::byte>(i), begin);
        auto* output = context.out<std::byte>(0);
        runBlock(inputs.data(), output + static_cast<size_t>(begin) * form_.outputBytes,
                 end - begin);
    }

    /// The address of element `begin` of an operand.
    const std::byte* addressOf(size_t operand, const std::byte* array, int64_t begin) const {
        const auto& [bytes, isNumber] = form_.operands[operand];
        return isNumber ? array : array + static_cast<size_t>(begin) * bytes;
    }

protected:
    ElementwiseKernel(Form form, std::vector<std::pair<size_t, size_t>> mayShare)
        : form_(std::move(form)) {
        traits_.mayShare = std::move(mayShare);
    }

private:
    Form form_;
};

/// An elementwise kernel from a callable `f(inputs, output, count)`; see BlockKernel::runBlock().
template <typename F>
std::unique_ptr<Kernel> makeElementwise(ElementwiseKernel::Form form, F f,
                                        std::vector<std::pair<size_t, size_t>> mayShare) {
    class FunctionKernel final : public ElementwiseKernel {
    public:
        FunctionKernel(Form form, F function, std::vector<std::pair<size_t, size_t>> mayShare)
            : ElementwiseKernel(std::move(form), std::move(mayShare)),
              function_(std::move(function)) {}
        void runBlock(const void* const* inputs, void* output, int64_t count) const override {
            function_(inputs, output, count);
        }

    private:
        F function_;
    };
    return std::make_unique<FunctionKernel>(std::move(form), std::move(f), std::move(mayShare));
}

}  // namespace temper
