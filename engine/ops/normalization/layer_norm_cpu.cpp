// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/core/counted.h"
#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/runtime/cpu/sums.h"

namespace temper {
namespace {

/// Rows of normalized elements.
struct RowLayout {
    int64_t rows = 1;
    int64_t size = 1;

    static RowLayout of(const PrepareContext& context, const Shape& shape) {
        const int64_t axis =
            normalizeAxis(LayerNormAttributes::of(context.node()).axis,
                          static_cast<int64_t>(shape.size()), context.node().describe());
        RowLayout layout;
        for (size_t i = 0; i < shape.size(); ++i)
            (static_cast<int64_t>(i) < axis ? layout.rows : layout.size) *= shape[i];
        return layout;
    }
};

/// Scale and bias have one number for each element of a row, or one for all.
int64_t perElementStride(const PrepareContext& context, size_t input, const RowLayout& layout) {
    if (!context.hasInput(input)) return 0;
    context.requireDType(input, context.input(0).dtype);
    const int64_t count = context.input(input).numElements();
    if (count == layout.size) return 1;
    if (count == 1) return 0;
    context.fail(ErrorCode::Unsupported,
                 "Input " + std::to_string(input) + " has " + counted(count, "element") +
                     "; expected one for each of the " + std::to_string(layout.size) +
                     " normalized elements, or a single one.",
                 "Expand it to the shape of the normalized dimensions.");
}

// Forward

template <typename T>
struct LayerNormRow {
    const T* scale;
    const T* bias;  ///< null if there is none
    int64_t scaleStride;
    int64_t biasStride;

    void operator()(const T* x, T* y, int64_t size, T mean, T inverse) const {
        for (int64_t i = 0; i < size; ++i) {
            const T normalized = (x[i] - mean) * inverse * scale[i * scaleStride];
            y[i] = bias == nullptr ? normalized : normalized + bias[i * biasStride];
        }
    }
};

template <typename T>
std::unique_ptr<Kernel> layerNormKernel(const PrepareContext& context, const RowLayout& layout) {
    const T epsilon = static_cast<T>(LayerNormAttributes::of(context.node()).epsilon);
    const int64_t scaleStride = perElementStride(context, 1, layout);
    const int64_t biasStride = perElementStride(context, 2, layout);
    const bool hasBias = context.hasInput(2);
    const bool hasMean = context.hasOutput(1), hasInverse = context.hasOutput(2);
    auto run = [=](const RunContext& c) {
        const LayerNormRow<T> row{c.in<T>(1), hasBias ? c.in<T>(2) : nullptr, scaleStride,
                                  biasStride};
        const T* x = c.in<T>(0);
        T* y = c.out<T>(0);
        c.pool().forRanges(layout.rows, taskGrain(layout.size), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const auto moments = RowMoments<T>::of(x + i * layout.size, layout.size);
                const T inverse = T{1} / std::sqrt(moments.variance + epsilon);
                row(x + i * layout.size, y + i * layout.size, layout.size, moments.mean, inverse);
                if (hasMean) c.out<T>(1)[i] = moments.mean;
                if (hasInverse) c.out<T>(2)[i] = inverse;
            }
        });
    };
    return makeKernel(std::move(run), {.mayShare = {{0, 0}}});
}

std::unique_ptr<Kernel> prepareLayerNorm(const PrepareContext& context) {
    const auto layout = RowLayout::of(context, context.input(0).shape);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return layerNormKernel<T>(context, layout); });
}

template <typename T>
std::unique_ptr<Kernel> simplifiedKernel(const PrepareContext& context, const RowLayout& layout) {
    const T epsilon = static_cast<T>(LayerNormAttributes::of(context.node()).epsilon);
    const int64_t scaleStride = perElementStride(context, 1, layout);
    const bool hasInverse = context.hasOutput(1);
    auto run = [=](const RunContext& c) {
        const LayerNormRow<T> row{c.in<T>(1), nullptr, scaleStride, 0};
        c.pool().forRanges(layout.rows, taskGrain(layout.size), [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
                const T* x = c.in<T>(0) + r * layout.size;
                const double squares =
                    sumOver<T>(layout.size, [&](int64_t i) { return x[i] * x[i]; });
                const T mean = static_cast<T>(squares / static_cast<double>(layout.size));
                const T inverse = T{1} / std::sqrt(mean + epsilon);
                row(x, c.out<T>(0) + r * layout.size, layout.size, T{}, inverse);
                if (hasInverse) c.out<T>(1)[r] = inverse;
            }
        });
    };
    return makeKernel(std::move(run), {.mayShare = {{0, 0}}});
}

std::unique_ptr<Kernel> prepareSimplified(const PrepareContext& context) {
    const auto layout = RowLayout::of(context, context.input(0).shape);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return simplifiedKernel<T>(context, layout); });
}

// Backward

/// How x̂ is recomputed for a row.
enum class Normalized {
    FromInput,        ///< LayerNormalizationGrad: (x - mean) * inverse
    FromInputAtZero,  ///< SimplifiedLayerNormalizationGrad: x * inverse
    FromOutput,       ///< InvertibleLayerNormalizationGrad: (y - bias) / scale
};

/// x̂ of the elements of a row.
template <typename T, Normalized form>
struct RowNormalizer {
    const T* values;
    const T* bias;   ///< FromOutput
    const T* scale;  ///< FromOutput
    T mean;          ///< FromInput
    T inverse;

    T operator()(int64_t i) const {
        if constexpr (form == Normalized::FromOutput) return (values[i] - bias[i]) / scale[i];
        if constexpr (form == Normalized::FromInputAtZero) return values[i] * inverse;
        return (values[i] - mean) * inverse;
    }
};

/// The addresses of a gradient kernel's operands; null if there is none.
template <typename T, Normalized form>
struct GradientOperands {
    const T *dy, *values, *scale, *bias, *mean, *inverse;
    T *dx, *dscale, *dbias;

    static GradientOperands of(const RunContext& c, size_t outputs) {
        const bool fromOutput = form == Normalized::FromOutput;
        const size_t inverseInput = form == Normalized::FromInputAtZero ? 3 : 4;
        return {c.in<T>(0),
                c.in<T>(1),
                c.in<T>(2),
                fromOutput ? c.in<T>(3) : nullptr,
                form == Normalized::FromInput ? c.in<T>(3) : nullptr,
                c.in<T>(inverseInput),
                c.out<T>(0),
                outputs > 1 ? c.out<T>(1) : nullptr,
                outputs > 2 ? c.out<T>(2) : nullptr};
    }
    RowNormalizer<T, form> normalizer(int64_t row, int64_t size) const {
        return {values + row * size, bias, scale, mean == nullptr ? T{} : mean[row], inverse[row]};
    }
};

/// B = dy scale r:  dx = B - mean(B) - x̂ mean(B x̂); without the second term if x was not
/// centered.
template <typename T, Normalized form>
void rowGradient(const T* dy, const T* scale, RowNormalizer<T, form> normalized, int64_t size,
                 T* __restrict dx) {
    const auto count = static_cast<double>(size);
    const bool isCentered = form != Normalized::FromInputAtZero;
    const double sumB =
        isCentered ? sumOver<T>(size, [&](int64_t i) { return dy[i] * scale[i]; }) : 0;
    const double sumC =
        sumOver<T>(size, [&](int64_t i) { return dy[i] * scale[i] * normalized(i); });
    const T meanB = static_cast<T>(sumB / count), meanC = static_cast<T>(sumC / count);
    for (int64_t i = 0; i < size; ++i)
        dx[i] = normalized.inverse * (dy[i] * scale[i] - meanB - normalized(i) * meanC);
}

/// Column sums over the rows of a block: dscale += dy x̂, dbias += dy.
template <typename T, Normalized form>
void addColumns(const T* dy, RowNormalizer<T, form> normalized, int64_t size,
                double* __restrict dscale, double* __restrict dbias) {
    for (int64_t i = 0; i < size; ++i) {
        dscale[i] += static_cast<double>(dy[i] * normalized(i));
        dbias[i] += static_cast<double>(dy[i]);
    }
}

constexpr int64_t kMaxBlocks = 16;
constexpr int64_t kRowsPerBlock = 8;

template <typename T, Normalized form>
class LayerNormGradKernel final : public Kernel {
public:
    LayerNormGradKernel(const RowLayout& layout, size_t outputs)
        : layout_(layout), outputs_(outputs) {
        const int64_t wanted = (layout.rows + kRowsPerBlock - 1) / kRowsPerBlock;
        blocks_ = std::clamp<int64_t>(wanted, 1, kMaxBlocks);
        traits_.scratchBytes = static_cast<size_t>(2 * blocks_ * layout.size) * sizeof(double);
    }

    void run(const RunContext& c) const override {
        const auto operands = Operands::of(c, outputs_);
        auto* sums = reinterpret_cast<double*>(c.scratch());
        c.pool().forEach(blocks_, [&](int64_t block) { runBlock(operands, block, sums); });
        c.pool().forRanges(layout_.size, 1 << 12, [&](int64_t begin, int64_t end) {
            if (operands.dscale != nullptr) sumBlocks(operands.dscale, sums, begin, end, 0);
            if (operands.dbias != nullptr) sumBlocks(operands.dbias, sums, begin, end, 1);
        });
    }

private:
    using Operands = GradientOperands<T, form>;

    void runBlock(const Operands& operands, int64_t block, double* sums) const {
        double* dscale = sums + 2 * block * layout_.size;
        std::fill_n(dscale, 2 * layout_.size, 0.0);
        const int64_t begin = block * layout_.rows / blocks_;
        const int64_t end = (block + 1) * layout_.rows / blocks_;
        for (int64_t row = begin; row < end; ++row) {
            const T* dy = operands.dy + row * layout_.size;
            const auto normalized = operands.normalizer(row, layout_.size);
            if (operands.dx != nullptr) {
                rowGradient(dy, operands.scale, normalized, layout_.size,
                            operands.dx + row * layout_.size);
            }
            addColumns(dy, normalized, layout_.size, dscale, dscale + layout_.size);
        }
    }
    void sumBlocks(T* target, const double* sums, int64_t begin, int64_t end, int64_t which) const {
        for (int64_t i = begin; i < end; ++i) {
            double total = 0;
            for (int64_t block = 0; block < blocks_; ++block)
                total += sums[(2 * block + which) * layout_.size + i];
            target[i] = static_cast<T>(total);
        }
    }

    RowLayout layout_;
    size_t outputs_;
    int64_t blocks_ = 1;
};

void requireElements(const PrepareContext& context, size_t input, const char* name, int64_t wanted,
                     const char* each) {
    const int64_t found = context.input(input).numElements();
    if (found == wanted) return;
    context.fail(ErrorCode::Unsupported,
                 std::string(name) + " has " + counted(found, "element") +
                     "; expected one for each of the " + std::to_string(wanted) + " " + each + ".",
                 "Expand it to their shape.");
}

template <Normalized form>
std::unique_ptr<Kernel> prepareGradient(const PrepareContext& context) {
    const auto layout = RowLayout::of(context, context.input(1).shape);
    for (size_t i = 1; i < context.inputCount(); ++i)
        context.requireDType(i, context.input(0).dtype);
    requireElements(context, 0, "The gradient", context.input(1).numElements(),
                    "elements of the input");
    requireElements(context, 2, "The scale", layout.size, "normalized elements");
    constexpr bool kHasBias = form == Normalized::FromOutput;
    for (size_t i = 3; i < context.inputCount(); ++i) {
        if (i == 3 && kHasBias) {
            requireElements(context, i, "The bias", layout.size, "normalized elements");
        } else {
            requireElements(context, i, "A statistic", layout.rows, "normalized rows");
        }
    }
    return visitFloating(
        context, context.input(0).dtype, [&]<typename T>() -> std::unique_ptr<Kernel> {
            return std::make_unique<LayerNormGradKernel<T, form>>(layout, context.outputCount());
        });
}

}  // namespace

void addLayerNormCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "LayerNormalization", prepareLayerNorm);
    kernels.add(kOnnxDomain, "SimplifiedLayerNormalization", prepareSimplified);
    kernels.add(kMicrosoftDomain, "LayerNormalizationGrad", prepareGradient<Normalized::FromInput>);
    kernels.add(kMicrosoftDomain, "SimplifiedLayerNormalizationGrad",
                prepareGradient<Normalized::FromInputAtZero>);
    kernels.add(kMicrosoftDomain, "InvertibleLayerNormalizationGrad",
                prepareGradient<Normalized::FromOutput>);
}

}  // namespace temper
