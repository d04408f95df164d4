// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "engine/core/counted.h"
#include "engine/ops/shape/shape.h"

namespace temper {
namespace {

/// A sequence is the memory of its elements: nothing is copied.
std::unique_ptr<Kernel> makeSequenceConstruct(const PrepareContext& context) {
    KernelTraits traits;
    for (size_t i = 0; i < context.inputCount(); ++i) traits.views.emplace_back(i, 0);
    return makeKernel([](const RunContext&) {}, std::move(traits));
}

std::unique_ptr<Kernel> makeSequenceAt(const PrepareContext& context) {
    const std::vector<TensorType>& elements = context.sequence(0);
    const std::vector<int64_t> position = context.integers(1);
    const auto length = static_cast<int64_t>(elements.size());
    if (position.size() != 1 || position[0] < -length || position[0] >= length) {
        context.fail(ErrorCode::InvalidInput, "Position " + formatShape(position) +
                                                  " is outside a sequence of " +
                                                  counted(length, "tensor") + ".");
    }
    const auto index = static_cast<size_t>(position[0] + (position[0] < 0 ? length : 0));
    if (elements[index] != context.output(0)) {
        context.fail(ErrorCode::Unsupported,
                     "Element " + std::to_string(index) + " has shape " +
                         formatShape(elements[index].shape) + "; expected " +
                         formatShape(context.output(0).shape) + ", as for the others.");
    }
    return makeKernel([index, bytes = elements[index].byteSize()](const RunContext& c) {
        if (bytes > 0) std::memcpy(c.out<std::byte>(0), c.sequence<std::byte>(0, index), bytes);
    });
}

std::unique_ptr<Kernel> makeSequenceLength(const PrepareContext& context) {
    return makeKernel([length = static_cast<int64_t>(context.sequence(0).size())](
                          const RunContext& c) { *c.out<int64_t>(0) = length; });
}

}  // namespace

void addSequenceKernels(KernelRegistry& kernels) {
    kernels.add("", "SequenceConstruct", makeSequenceConstruct);
    kernels.add("", "SequenceAt", makeSequenceAt);
    kernels.add("", "SequenceLength", makeSequenceLength);
}

}  // namespace temper
