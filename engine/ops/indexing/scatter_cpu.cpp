// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>

#include "engine/core/counted.h"
#include "engine/ops/indexing/axis_lines.h"
#include "engine/ops/indexing/index_tuples.h"
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/indexing/kernel_support.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"

namespace temper {

Reduction reductionOf(const PrepareContext& context) {
    const auto name = context.node().attribute<std::string>("reduction", "none");
    if (name == "none") return Reduction::None;
    if (name == "add") return Reduction::Add;
    if (name == "mul") return Reduction::Mul;
    if (name == "max") return Reduction::Max;
    if (name == "min") return Reduction::Min;
    context.fail(ErrorCode::Unsupported,
                 "Reduction '" + name + "'; expected none, add, mul, max or min.");
}

namespace {

/// Columns that one task scatters for all indices: repeated indices then meet in one task, in
/// order, so that sums do not depend on the number of threads.
constexpr int64_t kColumnsPerTask = 128;
/// Fewer columns are not worth vectors.
constexpr int64_t kMinVectorColumns = 16;

template <typename T>
void clear(T* to, int64_t count, ThreadPool& pool) {
    constexpr T kZero = T(0);
    fillElements(to, count, &kZero, sizeof(T), pool);
}

/// The output starts as a copy of the data; it may be the data's own memory.
template <typename T>
void copyData(const RunContext& c, int64_t count) {
    const T* from = c.in<T>(0);
    T* to = c.out<T>(0);
    if (from == to) return;
    c.pool().forRanges(
        count, kBytesPerTask / static_cast<int64_t>(sizeof(T)),
        [&](int64_t begin, int64_t end) { std::copy(from + begin, from + end, to + begin); });
}

template <typename T, typename Index, typename Combine>
void scatterLines(const AxisLines& lines, const Index* indices, const T* updates, T* to,
                  ThreadPool& pool, Combine combine) {
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, lines.length()));
    pool.forRanges(lines.count(), grain, [&](int64_t begin, int64_t end) {
        for (int64_t line = begin; line < end; ++line) {
            const AxisLines::Start start = lines.start(line);
            for (int64_t i = 0; i < lines.length(); ++i) {
                const int64_t place = start.index + i * lines.indexStride();
                const int64_t row =
                    positionOf(static_cast<int64_t>(indices[place]), lines.dataLength());
                T& target = to[start.data + row * lines.dataStride()];
                target = combine(target, updates[place]);
            }
        }
    });
}

template <typename T, typename Index, typename Combine>
void scatterTuples(const IndexTuples& tuples, const Index* indices, const T* updates, T* to,
                   ThreadPool& pool, Combine combine) {
    const int64_t columns = tuples.sliceCount();
    pool.forRanges(columns, kColumnsPerTask, [&](int64_t begin, int64_t end) {
        for (int64_t i = 0; i < tuples.count(); ++i) {
            T* target = to + tuples.offset(indices, i);
            const T* update = updates + i * columns;
            for (int64_t k = begin; k < end; ++k) target[k] = combine(target[k], update[k]);
        }
    });
}

void checkUpdates(const PrepareContext& context, size_t input, int64_t expected) {
    if (context.input(input).numElements() == expected) return;
    context.fail(ErrorCode::InvalidInput,
                 "The updates have shape " + formatShape(context.input(input).shape) +
                     "; expected " + counted(expected, "element") + ", as the indices address.");
}

template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedScatterElements(const PrepareContext& context) {
    const AxisLines lines(context.input(1).shape, context.input(0).shape,
                          context.node().attribute<int64_t>("axis", 0));
    checkUpdates(context, 2, context.input(1).numElements());
    const int64_t count = context.output(0).numElements();
    const Reduction reduction = reductionOf(context);
    const auto run = [=](const RunContext& c) {
        copyData<T>(c, count);
        withReduction<T>(reduction, [&](auto combine) {
            scatterLines(lines, c.in<Index>(1), c.in<T>(2), c.out<T>(0), c.pool(), combine);
        });
    };
    return makeKernel(run, {.mayShare = {{0, 0}}});
}

template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedScatterND(const PrepareContext& context) {
    const IndexTuples tuples(context.input(1).shape, context.input(0).shape, 0);
    checkUpdates(context, 2, tuples.count() * tuples.sliceCount());
    const int64_t count = context.output(0).numElements();
    const Reduction reduction = reductionOf(context);
    const auto run = [=](const RunContext& c) {
        copyData<T>(c, count);
        withReduction<T>(reduction, [&](auto combine) {
            scatterTuples(tuples, c.in<Index>(1), c.in<T>(2), c.out<T>(0), c.pool(), combine);
        });
    };
    return makeKernel(run, {.mayShare = {{0, 0}}});
}

/// The parts of a table [rows, columns] to which tasks add rows in the order of the indices: strips
/// of columns, or ranges of rows if the table is narrow. Each part reads all indices, which costs
/// little beside adding rows of some columns.
class TableParts {
public:
    struct Part {
        int64_t firstRow, endRow;
        int64_t firstColumn, columns;
    };

    /// `added`: how many rows are added.
    TableParts(int64_t rows, int64_t columns, int64_t added)
        : rows_(rows),
          columns_(columns),
          strips_((columns + kColumnsPerTask - 1) / kColumnsPerTask) {
        if (strips_ != 1) return;
        const int64_t wanted =
            std::min(columns / kMinVectorColumns, added * columns / kElementsPerTask);
        ranges_ = std::clamp<int64_t>(wanted, 1, std::max<int64_t>(rows, 1));
    }

    int64_t count() const { return strips_ * ranges_; }
    Part at(int64_t i) const {
        const int64_t range = i % ranges_, firstColumn = i / ranges_ * kColumnsPerTask;
        return {rows_ * range / ranges_, rows_ * (range + 1) / ranges_, firstColumn,
                std::min(kColumnsPerTask, columns_ - firstColumn)};
    }

private:
    static constexpr int64_t kElementsPerTask = 16384;

    int64_t rows_;
    int64_t columns_;
    int64_t strips_;
    int64_t ranges_ = 1;
};

void addRow(const float* x, float* sums, int64_t count) {
    if (count >= kMinVectorColumns) return simd::addRows(x, 1, count, sums, count);
    for (int64_t k = 0; k < count; ++k) sums[k] += x[k];
}
void addRow(const double* x, double* sums, int64_t count) {
    for (int64_t k = 0; k < count; ++k) sums[k] += x[k];
}

/// Inputs: shape, indices, dY. Data as [outer, length, inner]; dY as [outer, count, inner].
template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedGatherGrad(const PrepareContext& context) {
    const Shape& data = context.output(0).shape;
    const auto axis =
        static_cast<size_t>(normalizeAxis(context.node().attribute<int64_t>("axis", 0),
                                          static_cast<int64_t>(data.size()), "The axis"));
    const std::span<const int64_t> dims(data);
    const int64_t outer = numElements(dims.first(axis));
    const int64_t length = data[axis];
    const int64_t inner = numElements(dims.subspan(axis + 1));
    const int64_t count = context.input(1).numElements();
    checkUpdates(context, 2, outer * count * inner);
    // Several blocks are divided already.
    const TableParts parts(length, inner, outer == 1 ? count : 0);
    return makeKernel([=](const RunContext& c) {
        const auto* indices = c.in<Index>(1);
        clear(c.out<T>(0), outer * length * inner, c.pool());
        c.pool().forEach(outer * parts.count(), [&](int64_t task) {
            const int64_t block = task / parts.count();
            const TableParts::Part part = parts.at(task % parts.count());
            T* to = c.out<T>(0) + block * length * inner + part.firstColumn;
            const T* from = c.in<T>(2) + block * count * inner + part.firstColumn;
            for (int64_t i = 0; i < count; ++i) {
                const int64_t row = positionOf(static_cast<int64_t>(indices[i]), length);
                if (row < part.firstRow || row >= part.endRow) continue;
                addRow(from + i * inner, to + row * inner, part.columns);
            }
        });
    });
}

/// Inputs: dY, shape, indices.
template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedGatherElementsGrad(const PrepareContext& context) {
    const AxisLines lines(context.input(2).shape, context.output(0).shape,
                          context.node().attribute<int64_t>("axis", 0));
    checkUpdates(context, 0, context.input(2).numElements());
    const int64_t count = context.output(0).numElements();
    return makeKernel([=](const RunContext& c) {
        clear(c.out<T>(0), count, c.pool());
        scatterLines(lines, c.in<Index>(2), c.in<T>(0), c.out<T>(0), c.pool(), std::plus<T>());
    });
}

/// Inputs: shape, indices, dY.
template <typename T, typename Index>
std::unique_ptr<Kernel> makeTypedGatherNDGrad(const PrepareContext& context) {
    const IndexTuples tuples(context.input(1).shape, context.output(0).shape,
                             context.node().attribute<int64_t>("batch_dims", 0));
    checkUpdates(context, 2, tuples.count() * tuples.sliceCount());
    const int64_t count = context.output(0).numElements();
    return makeKernel([=](const RunContext& c) {
        clear(c.out<T>(0), count, c.pool());
        scatterTuples(tuples, c.in<Index>(1), c.in<T>(2), c.out<T>(0), c.pool(), std::plus<T>());
    });
}

/// Calls f with the type of the gradient (float32, float64) and of the indices.
template <typename F>
std::unique_ptr<Kernel> withGradientTypes(const PrepareContext& context, size_t gradient,
                                          size_t indices, F&& f) {
    return visitIndex(context, context.input(indices).dtype, [&]<typename Index>() {
        return visitFloating(context, context.input(gradient).dtype,
                             [&]<typename T>() { return f.template operator()<T, Index>(); });
    });
}

std::unique_ptr<Kernel> makeScatterElements(const PrepareContext& context) {
    return visitIndex(context, context.input(1).dtype, [&]<typename Index>() {
        return visitDType(context.input(0).dtype, [&]<typename T>() {
            return makeTypedScatterElements<T, Index>(context);
        });
    });
}

std::unique_ptr<Kernel> makeScatterND(const PrepareContext& context) {
    return visitIndex(context, context.input(1).dtype, [&]<typename Index>() {
        return visitDType(context.input(0).dtype,
                          [&]<typename T>() { return makeTypedScatterND<T, Index>(context); });
    });
}

}  // namespace

void addScatterKernels(KernelRegistry& kernels) {
    kernels.add("", "Scatter", makeScatterElements);
    kernels.add("", "ScatterElements", makeScatterElements);
    kernels.add("", "ScatterND", makeScatterND);
    kernels.add(kMicrosoftDomain, "GatherGrad", [](const PrepareContext& context) {
        return withGradientTypes(context, 2, 1, [&]<typename T, typename Index>() {
            return makeTypedGatherGrad<T, Index>(context);
        });
    });
    kernels.add(kMicrosoftDomain, "GatherElementsGrad", [](const PrepareContext& context) {
        return withGradientTypes(context, 0, 2, [&]<typename T, typename Index>() {
            return makeTypedGatherElementsGrad<T, Index>(context);
        });
    });
    kernels.add(kMicrosoftDomain, "GatherNDGrad", [](const PrepareContext& context) {
        return withGradientTypes(context, 2, 1, [&]<typename T, typename Index>() {
            return makeTypedGatherNDGrad<T, Index>(context);
        });
    });
}

}  // namespace temper
