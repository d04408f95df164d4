// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/random.h"
#include "engine/ir/mask_bits.h"
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

constexpr int64_t kFlags = 8;  // one byte of bits has that many
/// Elements whose flags are on the stack.
constexpr int64_t kFlagsAtOnce = 512;
static_assert(kMapGrain % kFlags == 0 && kFlagsAtOnce % kFlags == 0, "tasks start with a new byte");

// The lowest bits of eight bytes, gathered in one byte by a multiplication, and scattered again.

uint8_t bitsOf(const bool* flags) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, flags, kFlags);
    return static_cast<uint8_t>((bytes * 0x0102040810204080ULL) >> 56);
}

void scatterBits(uint8_t bits, bool* flags) {
    // Byte i has bit i of them, and adding 0x80 - 2^i carries that to its highest bit.
    const uint64_t apart = bits * 0x0101010101010101ULL & 0x8040201008040201ULL;
    const uint64_t bytes = (apart + 0x00406070787C7E7FULL) >> 7 & 0x0101010101010101ULL;
    std::memcpy(flags, &bytes, kFlags);
}

int64_t bytesOfBits(int64_t count) { return (count + kFlags - 1) / kFlags; }

/// Element i is kept if its 32 random bits are at least ratio * 2^32.
template <typename T>
struct DropoutRun {
    const T* x;
    T* y;
    bool* mask;     ///< or
    uint8_t* bits;  ///< or both null if the mask is omitted
    T scale;
    uint64_t threshold;
    uint64_t seed;

    void drop(int64_t begin, int64_t end) const {
        bool kept[kFlagsAtOnce] = {};
        for (int64_t i = begin; i < end; i += kFlagsAtOnce) {
            const int64_t count = std::min(kFlagsAtOnce, end - i);
            bool* flags = mask == nullptr ? kept : mask + i;
            choose(i, count, flags);
            scaleWhere(flags, x + i, scale, y + i, count);
            for (int64_t j = 0; bits != nullptr && j < count; j += kFlags)
                bits[(i + j) / kFlags] = bitsOf(flags + j);
        }
    }
    /// Whether the elements [first, first + count) are kept; `first` is even.
    void choose(int64_t first, int64_t count, bool* kept) const {
        for (int64_t i = 0; i < count; i += kEven) {
            const uint64_t drawn = Random::at(seed, static_cast<uint64_t>((first + i) / kEven));
            kept[i] = (drawn & 0xFFFFFFFFU) >= threshold;
            if (i + 1 < count) kept[i + 1] = drawn >> 32 >= threshold;
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
        isPacked_ = context.node().domain() == mask_bits::kDomain;
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
                                hasMask_ && !isPacked_ ? context.out<bool>(1) : nullptr,
                                isPacked_ ? context.out<uint8_t>(1) : nullptr,
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
        if (isPacked_) {
            std::fill_n(context.out<uint8_t>(1), bytesOfBits(count_), uint8_t{0xFF});
        } else if (maskIsBool_) {
            std::fill(context.out<bool>(1), context.out<bool>(1) + count_, maskOfCopy_);
        } else {
            std::fill(context.out<T>(1), context.out<T>(1) + count_, T{1});
        }
    }

    int64_t count_;
    Ratio ratio_;
    bool hasMode_;
    bool hasMask_ = false;
    bool isPacked_ = false;  ///< the mask is bits
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

/// y = x scale for the elements [begin, end) whose flag is set.
template <typename T>
void scaleWhereBits(const uint8_t* bits, const T* x, T scale, T* y, int64_t begin, int64_t end) {
    bool flags[kFlagsAtOnce];
    for (int64_t i = begin; i < end; i += kFlagsAtOnce) {
        const int64_t count = std::min(kFlagsAtOnce, end - i);
        for (int64_t j = 0; j < count; j += kFlags) scatterBits(bits[(i + j) / kFlags], flags + j);
        scaleWhere(flags, x + i, scale, y + i, count);
    }
}

/// dX = dY mask / (1 - ratio). Inputs: dY, mask, ratio?, training_mode?
std::unique_ptr<Kernel> prepareDropoutGrad(const PrepareContext& context) {
    const bool isPacked = context.node().domain() == mask_bits::kDomain;
    context.requireDType(1, isPacked ? DType::UInt8 : DType::Bool);
    const int64_t count = context.output(0).numElements();
    if (context.input(1).numElements() != (isPacked ? bytesOfBits(count) : count)) {
        context.fail(ErrorCode::InvalidInput,
                     "The mask has the shape " + formatShape(context.input(1).shape) +
                         "; expected " + formatShape(context.input(0).shape) + ".");
    }
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [count, isPacked, ratio = ratioOf(context, 2),
             hasMode = context.hasInput(3)](const RunContext& run) {
                const bool trains = !hasMode || *run.in<bool>(3);
                const T scale = trains ? static_cast<T>(1.0 / (1.0 - ratio.read(run))) : T{1};
                const T* dy = run.in<T>(0);
                T* dx = run.out<T>(0);
                run.pool().forRanges(count, kMapGrain, [&](int64_t begin, int64_t end) {
                    if (isPacked)
                        return scaleWhereBits(run.in<uint8_t>(1), dy, scale, dx, begin, end);
                    scaleWhere(run.in<bool>(1) + begin, dy + begin, scale, dx + begin, end - begin);
                });
            },
            {.mayShare = {{0, 0}}});
    });
}

}  // namespace

void registerDropoutKernels(KernelRegistry& kernels) {
    kernels.add("", "Dropout", prepareDropout);
    kernels.add(kMicrosoftDomain, "DropoutGrad", prepareDropoutGrad);
    kernels.add(mask_bits::kDomain, mask_bits::kForward, prepareDropout);
    kernels.add(mask_bits::kDomain, mask_bits::kBackward, prepareDropoutGrad);
}

}  // namespace temper
