// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "engine/ops/shape/sequence_place.h"
#include "engine/ops/shape/shape.h"

namespace temper {
namespace {

/// Sequences are the memory of their tensors, optionals that of their content: nothing is copied.
std::unique_ptr<Kernel> viewOf(KernelTraits traits) {
    return makeKernel([](const RunContext&) {}, std::move(traits));
}

std::unique_ptr<Kernel> makeSequenceConstruct(const PrepareContext& context) {
    KernelTraits traits;
    for (size_t i = 0; i < context.inputCount(); ++i) traits.views.emplace_back(i, 0);
    return viewOf(std::move(traits));
}

std::unique_ptr<Kernel> makeSequenceEmpty(const PrepareContext&) { return viewOf({}); }

/// All tensors of input 0.
KernelTraits sameSequence(const PrepareContext& context) {
    KernelTraits traits;
    for (size_t i = 0; i < context.sequence(0).size(); ++i) traits.elements.emplace_back(0, i);
    return traits;
}

std::unique_ptr<Kernel> makeSequenceInsert(const PrepareContext& context) {
    KernelTraits traits = sameSequence(context);
    const size_t length = traits.elements.size();
    const size_t place =
        context.hasInput(2) ? placeInSequence(context.integers(2), length, length + 1) : length;
    traits.elements.emplace(traits.elements.begin() + static_cast<std::ptrdiff_t>(place), 1, 0);
    return viewOf(std::move(traits));
}

std::unique_ptr<Kernel> makeSequenceErase(const PrepareContext& context) {
    KernelTraits traits = sameSequence(context);
    const size_t length = traits.elements.size();
    const std::vector<int64_t> last = {-1};
    const size_t place =
        placeInSequence(context.hasInput(1) ? context.integers(1) : last, length, length);
    traits.elements.erase(traits.elements.begin() + static_cast<std::ptrdiff_t>(place));
    return viewOf(std::move(traits));
}

std::unique_ptr<Kernel> makeSequenceAt(const PrepareContext& context) {
    const std::vector<TensorType>& elements = context.sequence(0);
    const size_t place = placeInSequence(context.integers(1), elements.size(), elements.size());
    if (elements[place] != context.output(0)) {
        context.fail(ErrorCode::InvalidInput,
                     "Element " + std::to_string(place) + " has the shape " +
                         formatShape(elements[place].shape) + "; the model declares " +
                         formatShape(context.output(0).shape) + ".");
    }
    return makeKernel([place, bytes = elements[place].byteSize()](const RunContext& c) {
        if (bytes > 0) std::memcpy(c.out<std::byte>(0), c.sequence<std::byte>(0, place), bytes);
    });
}

std::unique_ptr<Kernel> makeSequenceLength(const PrepareContext& context) {
    return makeKernel([length = static_cast<int64_t>(context.sequence(0).size())](
                          const RunContext& c) { *c.out<int64_t>(0) = length; });
}

/// Without an input, the optional has no content.
std::unique_ptr<Kernel> makeOptional(const PrepareContext&) { return viewOf({.views = {{0, 0}}}); }

std::unique_ptr<Kernel> makeOptionalHasElement(const PrepareContext& context) {
    const bool isThere = context.node().input(0) != nullptr && !context.inputs().front().isAbsent;
    return makeKernel([isThere](const RunContext& c) { *c.out<bool>(0) = isThere; });
}

}  // namespace

void addSequenceKernels(KernelRegistry& kernels) {
    kernels.add("", "SequenceConstruct", makeSequenceConstruct);
    kernels.add("", "SequenceEmpty", makeSequenceEmpty);
    kernels.add("", "SequenceInsert", makeSequenceInsert);
    kernels.add("", "SequenceErase", makeSequenceErase);
    kernels.add("", "SequenceAt", makeSequenceAt);
    kernels.add("", "SequenceLength", makeSequenceLength);
    kernels.add("", "Optional", makeOptional);
    kernels.add("", "OptionalGetElement", makeOptional);
    kernels.add("", "OptionalHasElement", makeOptionalHasElement);
}

}  // namespace temper
