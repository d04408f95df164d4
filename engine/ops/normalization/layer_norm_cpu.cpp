// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/core/counted.h"
#include "engine/ops/normalization/norm_kernels.h"
#include "engine/ops/normalization/normalization.h"
#include "engine/runtime/cpu/scratch_layout.h"
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
        if constexpr (isFloat<T>) {
            if (scaleStride == 1 && (bias == nullptr || biasStride == 1))
                return simd::scaleRow(x, y, size, mean, inverse, scale, bias);
        }
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
                const double squares = squaresFrom(T{}, x, layout.size);
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

using simd::NormalizedRow;

// The loops of simd for double.

double normalizedAt(const NormalizedRow<double>& row, int64_t i) {
    if (row.bias != nullptr) return (row.values[i] - row.bias[i]) / row.scale[i];
    return (row.values[i] - row.mean) * row.inverse;
}
simd::GradientTotals rowTotals(const double* dy, const NormalizedRow<double>& row) {
    const auto scaled = [&](int64_t i) { return dy[i] * row.scale[i]; };
    return {sumOver<double>(row.count, scaled), sumOver<double>(row.count, [&](int64_t i) {
                return scaled(i) * normalizedAt(row, i);
            })};
}
void rowGradient(const double* dy, const NormalizedRow<double>& row, double meanB, double meanC,
                 double* dx) {
    for (int64_t i = 0; i < row.count; ++i)
        dx[i] = row.inverse * (dy[i] * row.scale[i] - meanB - normalizedAt(row, i) * meanC);
}
void addRowProducts(const double* dy, const NormalizedRow<double>& row, double* sums) {
    for (int64_t i = 0; i < row.count; ++i) sums[i] += dy[i] * normalizedAt(row, i);
}

/// sums += each of the rows
void addToColumns(const float* x, int64_t rows, int64_t columns, float* sums) {
    simd::addRows(x, rows, columns, sums, columns);
}
void addToColumns(const double* x, int64_t rows, int64_t columns, double* sums) {
    for (int64_t i = 0; i < rows * columns; ++i) sums[i % columns] += x[i];
}

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
    NormalizedRow<T> row(int64_t index, int64_t size) const {
        return {values + index * size, scale, bias, mean == nullptr ? T{} : mean[index],
                inverse[index],        size};
    }
};

/// B = dy scale r:  dx = B - mean(B) - x̂ mean(B x̂); without the second term if x was not
/// centered.
template <typename T>
void writeGradient(const T* dy, const NormalizedRow<T>& row, bool isCentered, T* dx) {
    const auto count = static_cast<double>(row.count);
    const simd::GradientTotals totals = rowTotals(dy, row);
    const T meanB = isCentered ? static_cast<T>(totals.gradients / count) : T{};
    rowGradient(dy, row, meanB, static_cast<T>(totals.products / count), dx);
}

constexpr int64_t kMaxBlocks = 16;
constexpr int64_t kRowsPerBlock = 8;
/// Rows whose columns are summed in the type of the elements before the sums continue in double.
constexpr int64_t kSummedRows = 32;

/// The gradients of scale and bias are sums of columns: dscale of dy x̂, dbias of dy. Blocks of rows
/// have their own sums, which are joined in order.
template <typename T, Normalized form>
class LayerNormGradKernel final : public Kernel {
public:
    LayerNormGradKernel(const RowLayout& layout, size_t outputs)
        : layout_(layout), outputs_(outputs) {
        const int64_t wanted = (layout.rows + kRowsPerBlock - 1) / kRowsPerBlock;
        blocks_ = std::clamp<int64_t>(wanted, 1, kMaxBlocks);
        const auto sums = static_cast<size_t>(2 * blocks_ * layout.size);
        ScratchLayout scratch;
        totalsAt_ = scratch.add(sums * sizeof(double));
        sumsAt_ = scratch.add(sums * sizeof(T));
        traits_.scratchBytes = scratch.bytes();
    }

    void run(const RunContext& c) const override {
        const auto operands = Operands::of(c, outputs_);
        c.pool().forEach(blocks_, [&](int64_t block) { runBlock(c, operands, block); });
        c.pool().forRanges(layout_.size, 1 << 12, [&](int64_t begin, int64_t end) {
            if (operands.dscale != nullptr) join(c, operands.dscale, begin, end, 0);
            if (operands.dbias != nullptr) join(c, operands.dbias, begin, end, 1);
        });
    }

private:
    using Operands = GradientOperands<T, form>;

    /// Those of dscale, then those of dbias.
    template <typename Number>
    Number* sumsOf(const RunContext& c, size_t offset, int64_t block) const {
        return reinterpret_cast<Number*>(c.scratch() + offset) + 2 * block * layout_.size;
    }

    void runBlock(const RunContext& c, const Operands& operands, int64_t block) const {
        double* totals = sumsOf<double>(c, totalsAt_, block);
        T* sums = sumsOf<T>(c, sumsAt_, block);
        std::fill_n(totals, 2 * layout_.size, 0.0);
        const int64_t end = (block + 1) * layout_.rows / blocks_;
        for (int64_t row = block * layout_.rows / blocks_; row < end; row += kSummedRows) {
            std::fill_n(sums, 2 * layout_.size, T{});
            addRows(operands, row, std::min(row + kSummedRows, end), sums);
            for (int64_t i = 0; i < 2 * layout_.size; ++i)
                totals[i] += static_cast<double>(sums[i]);
        }
    }

    void addRows(const Operands& operands, int64_t begin, int64_t end, T* sums) const {
        const int64_t size = layout_.size;
        for (int64_t index = begin; index < end; ++index) {
            const T* dy = operands.dy + index * size;
            const NormalizedRow<T> row = operands.row(index, size);
            if (operands.dx != nullptr)
                writeGradient(dy, row, form != Normalized::FromInputAtZero,
                              operands.dx + index * size);
            if (operands.dscale != nullptr) addRowProducts(dy, row, sums);
        }
        if (operands.dbias != nullptr)
            addToColumns(operands.dy + begin * size, end - begin, size, sums + size);
    }

    void join(const RunContext& c, T* target, int64_t begin, int64_t end, int64_t which) const {
        for (int64_t i = begin; i < end; ++i) {
            double total = 0;
            for (int64_t block = 0; block < blocks_; ++block)
                total += sumsOf<double>(c, totalsAt_, block)[which * layout_.size + i];
            target[i] = static_cast<T>(total);
        }
    }

    RowLayout layout_;
    size_t outputs_;
    int64_t blocks_ = 1;
    size_t totalsAt_ = 0;
    size_t sumsAt_ = 0;
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
