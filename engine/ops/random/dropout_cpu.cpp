// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/random/random.h"

namespace temper {
namespace {

constexpr double kDefaultRatio = 0.5;
constexpr int64_t kEven = 2;  // one random number serves two elements

/// A scalar of any floating-point type that kernels support.
double readNumber(const RunContext& run, size_t input, DType dtype) {
    return dtype == DType::Float64 ? *run.in<double>(input)
                                   : static_cast<double>(*run.in<float>(input));
}

/// The share of elements to drop: an attribute before opset 12, an input of each run since.
struct Ratio {
    DType inputType = DType::Undefined;  ///< Undefined: `value` applies
    size_t input = 1;
    double value = kDefaultRatio;
    std::string node;

    double read(const RunContext& run) const {
        const double ratio =
            inputType == DType::Undefined ? value : readNumber(run, input, inputType);
        if (ratio >= 0.0 && ratio < 1.0) return ratio;
        Error error(ErrorCode::InvalidInput,
                    "The ratio is " + std::to_string(ratio) + "; expected one in [0, 1).");
        error.addContext(node);
        throw error;
    }
};

Ratio ratioOf(const PrepareContext& context, size_t input) {
    Ratio ratio;
    ratio.input = input;
    ratio.node = context.node().describe();
    if (!context.hasInput(input)) return ratio;
    ratio.inputType = context.input(input).dtype;
    if (ratio.inputType != DType::Float64) context.requireDType(input, DType::Float32);
    return ratio;
}

/// y = x scale where the mask is true, else 0.
void scaleWhere(const bool* mask, const float* x, float factor, float* y, int64_t count) {
    simd::scaleWhere(mask, x, factor, y, count);
}
void scaleWhere(const bool* mask, const double* x, double factor, double* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) y[i] = mask[i] ? x[i] * factor : 0;
}

/// Element i is kept if its 32 random bits are at least ratio * 2^32.
template <typename T>
struct DropoutRun {
    const T* x;
    T* y;
    bool* mask;  ///< null if it is omitted
    T scale;
    uint64_t threshold;
    uint64_t seed;

    void drop(int64_t begin, int64_t end) const {
        constexpr int64_t kBlock = 512;
        bool kept[kBlock];
        for (int64_t i = begin; i < end; i += kBlock) {
            const int64_t count = std::min(kBlock, end - i);
            bool* flags = mask == nullptr ? kept : mask + i;
            choose(i, count, flags);
            scaleWhere(flags, x + i, scale, y + i, count);
        }
    }
    /// Whether the elements [first, first + count) are kept; `first` is even.
    void choose(int64_t first, int64_t count, bool* kept) const {
        for (int64_t i = 0; i < count; i += kEven) {
            const uint64_t bits = Random::at(seed, static_cast<uint64_t>((first + i) / kEven));
            kept[i] = (bits & 0xFFFFFFFFU) >= threshold;
            if (i + 1 < count) kept[i + 1] = bits >> 32 >= threshold;
        }
    }
};
static_assert(kMapGrain % kEven == 0, "tasks start with a new random number");

template <typename T>
class DropoutKernel final : public Kernel {
public:
    explicit DropoutKernel(const PrepareContext& context)
        : count_(context.output(0).numElements()),
          ratio_(ratioOf(context, 1)),
          hasMode_(context.hasInput(2)),
          ownSeed_(static_cast<uint64_t>(context.node().attribute<int64_t>("seed", 0))) {
        if (hasMode_) context.requireDType(2, DType::Bool);
        traits_.mayShare = {{0, 0}};
        traits_.isRandom = hasMode_;
        hasMask_ = context.hasOutput(1);
        maskIsBool_ = !hasMask_ || context.output(1).dtype == DType::Bool;
        // Up to opset 11 ONNX does not define the mask if nothing is dropped; in ONNX Runtime it is
        // empty.
        maskOfCopy_ = context.opset() >= 12;
    }

    void run(const RunContext& context) const override {
        const bool trains = hasMode_ && *context.in<bool>(2);
        const double ratio = trains ? ratio_.read(context) : 0.0;
        if (ratio == 0.0) return copy(context);
        const DropoutRun<T> run{context.in<T>(0),
                                context.out<T>(0),
                                hasMask_ ? context.out<bool>(1) : nullptr,
                                static_cast<T>(1.0 / (1.0 - ratio)),
                                static_cast<uint64_t>(std::llround(ratio * 0x1.0p32)),
                                Random::at(context.seed(), ownSeed_)};
        context.pool().forRanges(count_, kMapGrain,
                                 [&](int64_t begin, int64_t end) { run.drop(begin, end); });
    }

private:
    /// Inference: all elements are kept.
    void copy(const RunContext& context) const {
        const T* x = context.in<T>(0);
        T* y = context.out<T>(0);
        if (x != y && count_ > 0) std::memcpy(y, x, static_cast<size_t>(count_) * sizeof(T));
        if (!hasMask_) return;
        if (maskIsBool_) {
            std::fill(context.out<bool>(1), context.out<bool>(1) + count_, maskOfCopy_);
        } else {
            std::fill(context.out<T>(1), context.out<T>(1) + count_, T{1});
        }
    }

    int64_t count_;
    Ratio ratio_;
    bool hasMode_;
    bool hasMask_ = false;
    bool maskIsBool_ = true;
    bool maskOfCopy_ = true;
    uint64_t ownSeed_;
};

std::unique_ptr<Kernel> prepareDropout(const PrepareContext& context) {
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() -> std::unique_ptr<Kernel> {
                             return std::make_unique<DropoutKernel<T>>(context);
                         });
}

/// dX = dY mask / (1 - ratio). Inputs: dY, mask, ratio?, training_mode?
std::unique_ptr<Kernel> prepareDropoutGrad(const PrepareContext& context) {
    context.requireDType(1, DType::Bool);
    const int64_t count = context.output(0).numElements();
    if (context.input(1).numElements() != count) {
        context.fail(ErrorCode::InvalidInput,
                     "The mask has the shape " + formatShape(context.input(1).shape) +
                         "; expected " + formatShape(context.input(0).shape) + ".");
    }
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [count, ratio = ratioOf(context, 2),
             hasMode = context.hasInput(3)](const RunContext& run) {
                const bool trains = !hasMode || *run.in<bool>(3);
                const T scale = trains ? static_cast<T>(1.0 / (1.0 - ratio.read(run))) : T{1};
                const T* dy = run.in<T>(0);
                const bool* mask = run.in<bool>(1);
                T* dx = run.out<T>(0);
                run.pool().forRanges(count, kMapGrain, [=](int64_t begin, int64_t end) {
                    scaleWhere(mask + begin, dy + begin, scale, dx + begin, end - begin);
                });
            },
            {.mayShare = {{0, 0}}});
    });
}

}  // namespace

void registerDropoutKernels(KernelRegistry& kernels) {
    kernels.add("", "Dropout", prepareDropout);
    kernels.add(kMicrosoftDomain, "DropoutGrad", prepareDropoutGrad);
}

}  // namespace temper
