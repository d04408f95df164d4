// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/core/half.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/update/parameter_sequences_cpu.h"
#include "engine/ops/update/update.h"
#include "engine/ops/update/update_rules_cpu.h"

namespace temper {
namespace {

/// Whether this step updates; writes the answer to output 0.
bool signalled(const RunContext& run, size_t input, bool hasSignal) {
    const bool updates = !hasSignal || *run.in<bool>(input);
    if (bool* flag = run.out<bool>(0)) *flag = updates;
    return updates;
}

// AdamW

simd::UpdateNumbers adamWAttributes(const Node& node) {
    simd::UpdateNumbers numbers;
    numbers.beta1 = node.attribute<float>("alpha", 0.9F);
    numbers.beta2 = node.attribute<float>("beta", 0.999F);
    numbers.epsilon = node.attribute<float>("epsilon", 1e-8F);
    numbers.decay = node.attribute<float>("weight_decay", 0.01F);
    return numbers;
}

simd::Update* adamWUpdate(const PrepareContext& context) {
    const Node& node = context.node();
    const auto mode = node.attribute<int64_t>("adam_mode", 0);
    const bool corrects = node.attribute<int64_t>("correct_bias", 1) != 0;
    if ((mode != 0 && mode != 1) || (mode == 0 && !corrects)) {
        context.fail(ErrorCode::InvalidInput,
                     "Attributes adam_mode = " + std::to_string(mode) +
                         " and correct_bias = " + (corrects ? "1" : "0") +
                         " can't be combined; expected mode 0 with bias correction, or mode 1.");
    }
    return simd::adamWUpdate(mode == 1);
}

/// Numbers that are widened at a time.
constexpr int64_t kHalfBlock = 1024;

bool isHalf(DType dtype) { return dtype == DType::Float16 || dtype == DType::BFloat16; }

/// The element type of all momentums: float32, or half precision that the step widens.
DType momentumType(const PrepareContext& context) {
    const DType dtype =
        context.sequence(4).empty() ? DType::Float32 : context.sequence(4).front().dtype;
    if (!isHalf(dtype)) {
        for (size_t i = 4; i < 6; ++i) requireFloats(context, i);
        return DType::Float32;
    }
    for (size_t i = 4; i < 6; ++i) {
        for (const TensorType& type : context.sequence(i)) {
            if (type.dtype == dtype) continue;
            context.fail(ErrorCode::InvalidInput, "Momentums are " + std::string(dtypeName(dtype)) +
                                                      " and " + std::string(dtypeName(type.dtype)) +
                                                      "; expected one element type.");
        }
    }
    return dtype;
}

/// lr, step, weights, gradients, momentums 1, momentums 2, signal?
class AdamWKernel final : public Kernel {
public:
    explicit AdamWKernel(const PrepareContext& context)
        : chunks_(chunksOf(context.sequence(2))),
          update_(adamWUpdate(context)),
          attributes_(adamWAttributes(context.node())),
          correctsBias_(context.node().attribute<int64_t>("correct_bias", 1) != 0),
          hasSignal_(context.hasInput(6)),
          momentumType_(momentumType(context)) {
        requireScalar(context, 0, DType::Float32);
        requireScalar(context, 1, DType::Int64);
        for (size_t i = 2; i < 4; ++i) requireFloats(context, i);
        for (size_t i = 3; i < 6; ++i) requireAlike(context, 2, i);
        traits_.mutatedInputs = {2, 4, 5};
        traits_.views = {{2, 1}, {4, 2}, {5, 3}};
    }

    void run(const RunContext& context) const override {
        if (!signalled(context, 6, hasSignal_)) return;
        simd::UpdateNumbers numbers = attributes_;
        numbers.lr = *context.in<float>(0);
        if (correctsBias_) {
            const int64_t step = *context.in<int64_t>(1);
            numbers.correction1 = correctionOf(numbers.beta1, step);
            numbers.correction2 = correctionOf(numbers.beta2, step);
        }
        context.pool().forEach(static_cast<int64_t>(chunks_.size()), [&](int64_t i) {
            update(context, chunks_[static_cast<size_t>(i)], numbers);
        });
    }

private:
    void update(const RunContext& context, const Chunk& chunk,
                const simd::UpdateNumbers& numbers) const {
        const auto part = [&](size_t input) {
            return context.sequence<float>(input, chunk.element) + chunk.begin;
        };
        if (!isHalf(momentumType_)) {
            update_({part(2), part(3), part(4), part(5)}, chunk.count, numbers);
            return;
        }
        const auto halves = [&](size_t input) {
            return context.sequence<uint16_t>(input, chunk.element) + chunk.begin;
        };
        std::array<float, kHalfBlock> first, second;
        updateHalves({part(2), part(3), first.data(), second.data()}, halves(4), halves(5),
                     chunk.count, numbers);
    }

    /// The step with momentums that are kept in half precision; all arithmetic is in float32.
    void updateHalves(const simd::UpdatedTensor& tensor, uint16_t* first, uint16_t* second,
                      int64_t count, const simd::UpdateNumbers& numbers) const {
        const bool isBrain = momentumType_ == DType::BFloat16;
        const auto widen = isBrain ? floatFromBFloat16 : floatFromHalf;
        const auto narrow = isBrain ? bfloat16FromFloat : halfFromFloat;
        for (int64_t begin = 0; begin < count; begin += kHalfBlock) {
            const int64_t size = std::min(kHalfBlock, count - begin);
            std::transform(first + begin, first + begin + size, tensor.first, widen);
            std::transform(second + begin, second + begin + size, tensor.second, widen);
            update_({tensor.weights + begin, tensor.gradients + begin, tensor.first, tensor.second},
                    size, numbers);
            std::transform(tensor.first, tensor.first + size, first + begin, narrow);
            std::transform(tensor.second, tensor.second + size, second + begin, narrow);
        }
    }

    std::vector<Chunk> chunks_;
    simd::Update* update_;
    simd::UpdateNumbers attributes_;
    bool correctsBias_;
    bool hasSignal_;
    DType momentumType_;
};

// SGD

/// lr, weights, gradients, signal?
std::unique_ptr<Kernel> prepareSgd(const PrepareContext& context) {
    requireScalar(context, 0, DType::Float32);
    for (size_t i = 1; i < 3; ++i) requireFloats(context, i);
    requireAlike(context, 1, 2);
    KernelTraits traits;
    traits.mutatedInputs = {1};
    traits.views = {{1, 1}};
    return makeKernel(
        [chunks = chunksOf(context.sequence(1)),
         hasSignal = context.hasInput(3)](const RunContext& run) {
            if (!signalled(run, 3, hasSignal)) return;
            const float lr = *run.in<float>(0);
            run.pool().forEach(static_cast<int64_t>(chunks.size()), [&](int64_t i) {
                const Chunk& chunk = chunks[static_cast<size_t>(i)];
                simd::addScaled(run.sequence<float>(2, chunk.element) + chunk.begin, -lr,
                                run.sequence<float>(1, chunk.element) + chunk.begin, chunk.count);
            });
        },
        std::move(traits));
}

// Clipping

/// Sum of squares in single precision from the first to the last element, as ORT's kernel adds
/// them: the same clipped gradients, and so the same losses, come out of the same model.
float sumOfSquaresInOrder(const float* values, int64_t count) {
    float sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += values[i] * values[i];
    return sum;
}

/// The factor of all gradients: max_norm / their norm, at most 1.
float clipFactor(const float* squares, size_t count, float maxNorm) {
    float sum = 0;
    for (size_t i = 0; i < count; ++i) sum += squares[i];
    return std::min(maxNorm / (std::sqrt(sum) + 1e-6F), 1.0F);
}

std::unique_ptr<Kernel> prepareClipGradNorm(const PrepareContext& context) {
    requireFloats(context, 0);
    const auto type = context.node().attribute<std::string>("norm_type", "fro");
    if (type != "fro") {
        context.fail(ErrorCode::Unsupported,
                     "Attribute 'norm_type' is '" + type + "'; expected 'fro'.");
    }
    std::vector<Chunk> chunks = chunksOf(context.sequence(0));
    KernelTraits traits;
    traits.mutatedInputs = {0};
    traits.views = {{0, 0}};
    std::vector<int64_t> counts;
    for (const TensorType& element : context.sequence(0)) counts.push_back(element.numElements());
    traits.scratchBytes = counts.size() * sizeof(float);
    const float maxNorm = context.node().attribute<float>("max_norm", 1.0F);
    return makeKernel(
        [chunks = std::move(chunks), counts = std::move(counts), maxNorm](const RunContext& run) {
            auto* squares = reinterpret_cast<float*>(run.scratch());
            run.pool().forEach(static_cast<int64_t>(counts.size()), [&](int64_t i) {
                const auto k = static_cast<size_t>(i);
                squares[k] = sumOfSquaresInOrder(run.sequence<float>(0, k), counts[k]);
            });
            const float factor = clipFactor(squares, counts.size(), maxNorm);
            const auto part = [&](int64_t i) {
                const Chunk& chunk = chunks[static_cast<size_t>(i)];
                return run.sequence<float>(0, chunk.element) + chunk.begin;
            };
            run.pool().forEach(static_cast<int64_t>(chunks.size()), [&](int64_t i) {
                simd::scale(part(i), factor, part(i), chunks[static_cast<size_t>(i)].count);
            });
        },
        std::move(traits));
}

}  // namespace

void registerOptimizerKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "AdamWOptimizer",
                [](const PrepareContext& context) -> std::unique_ptr<Kernel> {
                    return std::make_unique<AdamWKernel>(context);
                });
    kernels.add(kMicrosoftDomain, "SGDOptimizerV2", prepareSgd);
    kernels.add(kMicrosoftDomain, "InplaceClipGradNorm", prepareClipGradNorm);
}

}  // namespace temper
