// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/ops/map_cpu.h"
#include "engine/ops/reduction/column_sum_cpu.h"
#include "engine/ops/reduction/folds_cpu.h"
#include "engine/ops/reduction/plane_sum_cpu.h"
#include "engine/ops/reduction/reduction.h"
#include "engine/ops/reduction/reduction_plan.h"

namespace temper {
namespace {

std::vector<int64_t> axesOf(const PrepareContext& context) {
    if (context.hasInput(1)) return context.integers(1);
    return context.node().attribute<std::vector<int64_t>>("axes", {});
}

ReductionPlan planOf(const PrepareContext& context) {
    const Shape& shape = context.input(0).shape;
    const std::vector<int64_t> axes = axesOf(context);
    std::vector<bool> isReduced(shape.size(), axes.empty());
    const auto rank = static_cast<int64_t>(shape.size());
    for (const int64_t axis : axes) {
        isReduced[static_cast<size_t>(normalizeAxis(axis, rank, "Axis"))] = true;
    }
    return ReductionPlan(shape, isReduced);
}

bool isNoop(const PrepareContext& context) {
    return context.node().attribute<int64_t>("noop_with_empty_axes", 0) != 0 &&
           axesOf(context).empty();
}

/// Folds runs of a tensor. Tasks are divided by outputs; a reduction to a single number by parts of
/// its run, which are joined in order.
template <typename T, template <typename> typename Fold>
class ReductionKernel final : public Kernel {
public:
    using State = typename Fold<T>::State;

    explicit ReductionKernel(const PrepareContext& context) : plan_(planOf(context)) {
        if (isSplit()) traits_.scratchBytes = static_cast<size_t>(parts()) * sizeof(State);
    }

    void run(const RunContext& context) const override {
        const T* x = context.in<T>(0);
        T* y = context.out<T>(0);
        if (isSplit()) {
            foldSplit(context, x, y);
        } else if (plan_.innerIsReduced()) {
            foldRows(context, x, y);
        } else {
            foldColumns(context, x, y);
        }
    }

private:
    static constexpr int64_t kPart = 65536;
    static constexpr int64_t kColumns = 128;

    bool isSplit() const {
        return plan_.innerIsReduced() && plan_.keptGroups() == 1 && plan_.reducedGroups() == 1 &&
               plan_.inner() > kPart;
    }
    int64_t parts() const { return (plan_.inner() + kPart - 1) / kPart; }

    void foldSplit(const RunContext& context, const T* x, T* y) const {
        auto* states = reinterpret_cast<State*>(context.scratch());
        context.pool().forEach(parts(), [&](int64_t i) {
            const int64_t begin = i * kPart;
            states[i] =
                Fold<T>::run(Fold<T>::start(), x + begin, std::min(kPart, plan_.inner() - begin));
        });
        State state = Fold<T>::start();
        for (int64_t i = 0; i < parts(); ++i) state = Fold<T>::join(state, states[i]);
        *y = Fold<T>::result(state, plan_.inner());
    }

    /// One output per kept group. Consecutive rows are left to rowReduction().
    void foldRows(const RunContext& context, const T* x, T* y) const {
        const int64_t count = plan_.reducedCount();
        const int64_t grain = std::max<int64_t>(1, kMapGrain / std::max<int64_t>(1, count));
        context.pool().forRanges(plan_.keptGroups(), grain, [&](int64_t begin, int64_t end) {
            for (int64_t group = begin; group < end; ++group) {
                const T* from = x + plan_.keptOffset(group);
                State state = Fold<T>::start();
                for (int64_t r = 0; r < plan_.reducedGroups() && plan_.inner() > 0; ++r) {
                    state = Fold<T>::run(state, from + plan_.reducedOffset(r), plan_.inner());
                }
                y[group] = Fold<T>::result(state, count);
            }
        });
    }

    /// Blocks of adjacent outputs.
    void foldColumns(const RunContext& context, const T* x, T* y) const {
        const int64_t blocks = (plan_.inner() + kColumns - 1) / kColumns;
        const int64_t work =
            std::max<int64_t>(1, plan_.reducedGroups() * std::min(kColumns, plan_.inner()));
        const int64_t grain = std::max<int64_t>(1, kMapGrain / work);
        context.pool().forRanges(plan_.keptGroups() * blocks, grain,
                                 [&](int64_t begin, int64_t end) {
                                     for (int64_t i = begin; i < end; ++i) {
                                         const int64_t first = i % blocks * kColumns;
                                         const int64_t group = i / blocks;
                                         foldBlock(x + plan_.keptOffset(group) + first,
                                                   y + group * plan_.inner() + first,
                                                   std::min(kColumns, plan_.inner() - first));
                                     }
                                 });
    }

    void foldBlock(const T* x, T* y, int64_t columns) const {
        State states[kColumns];
        std::fill(states, states + columns, Fold<T>::start());
        for (int64_t r = 0; r < plan_.reducedGroups(); ++r) {
            const T* row = x + plan_.reducedOffset(r);
            for (int64_t j = 0; j < columns; ++j) states[j] = Fold<T>::step(states[j], row[j]);
        }
        for (int64_t j = 0; j < columns; ++j) {
            y[j] = Fold<T>::result(states[j], plan_.reducedGroups());
        }
    }

    ReductionPlan plan_;
};

/// Empty axes that mean none, if the operator is the identity on a single element.
std::unique_ptr<Kernel> prepareCopy(const PrepareContext& context) {
    return makeKernel(
        [bytes = context.output(0).byteSize()](const RunContext& run) {
            const auto* from = run.in<std::byte>(0);
            auto* to = run.out<std::byte>(0);
            if (from != to && bytes > 0) std::memcpy(to, from, bytes);
        },
        {.mayShare = {{0, 0}}});
}

/// One output per row of an array of rows.
template <typename T, template <typename> typename Fold>
std::unique_ptr<Kernel> rowReduction(const ReductionPlan& plan) {
    const int64_t rows = plan.keptGroups(), columns = plan.inner();
    RowForm form{rows, columns, sizeof(T), 1, true, {{sizeof(T), columns, 1, rows}}, kMapGrain};
    return makeRowKernel(std::move(form),
                         [](const void* const* inputs, void* output, int64_t count) {
                             const auto* x = static_cast<const T*>(inputs[0]);
                             *static_cast<T*>(output) =
                                 Fold<T>::result(Fold<T>::run(Fold<T>::start(), x, count), count);
                         },
                         {});
}

template <typename T, template <typename> typename Fold>
std::unique_ptr<Kernel> reductionOf(const PrepareContext& context) {
    const ReductionPlan plan = planOf(context);
    const bool isRows = plan.innerIsReduced() && plan.reducedGroups() == 1 &&
                        plan.keptGroups() > 1 && plan.inner() > 1;
    if (isRows) return rowReduction<T, Fold>(plan);
    return std::make_unique<ReductionKernel<T, Fold>>(context);
}

/// The types that models reduce; ORT's own list is not longer.
template <template <typename> typename Fold>
std::unique_ptr<Kernel> prepareReduction(const PrepareContext& context) {
    if (isNoop(context)) return prepareCopy(context);
    return visitTypes<float, double, int32_t, int64_t, int8_t, uint8_t>(
        context, context.input(0).dtype, "float32, float64 or an integer",
        [&]<typename T>() { return reductionOf<T, Fold>(context); });
}

/// Whether the input consists of rows of floats that become one.
bool isColumnSum(const PrepareContext& context, const ReductionPlan& plan) {
    return context.input(0).dtype == DType::Float32 && !plan.innerIsReduced() &&
           plan.keptGroups() == 1 && plan.reducedGroups() > 1 && plan.inner() >= kMinSummedColumns;
}

/// Whether the channels of images are reduced to a number each.
bool isPlaneSum(const PrepareContext& context, const ReductionPlan& plan) {
    const Shape& shape = context.input(0).shape;
    return shape.size() == 4 && plan.innerIsReduced() && plan.reducedGroups() == 1 &&
           plan.inner() == shape[2] * shape[3] && plan.inner() > 1 &&
           plan.keptGroups() == shape[0] * shape[1];
}

template <template <typename> typename Fold, bool kIsMean>
std::unique_ptr<Kernel> prepareSum(const PrepareContext& context) {
    if (!isNoop(context)) {
        const ReductionPlan plan = planOf(context);
        if (isColumnSum(context, plan))
            return makeColumnSum(plan.reducedGroups(), plan.inner(), kIsMean);
        if (isPlaneSum(context, plan)) {
            if (auto sum = makePlaneSum(context, kIsMean)) return sum;
        }
    }
    return prepareReduction<Fold>(context);
}

/// Also for booleans: the maximum is whether any is true, the minimum whether all are.
template <template <typename> typename Fold>
std::unique_ptr<Kernel> prepareExtreme(const PrepareContext& context) {
    if (context.input(0).dtype != DType::Bool || isNoop(context)) {
        return prepareReduction<Fold>(context);
    }
    return std::make_unique<ReductionKernel<bool, Fold>>(context);
}

/// sqrt(sum over all inputs of x^2)
std::unique_ptr<Kernel> prepareReduceAllL2(const PrepareContext& context) {
    std::vector<int64_t> counts;
    for (size_t i = 0; i < context.inputCount(); ++i) {
        context.requireDType(i, DType::Float32);
        counts.push_back(context.input(i).numElements());
    }
    return makeKernel([counts = std::move(counts)](const RunContext& run) {
        double sum = 0;
        for (size_t i = 0; i < counts.size(); ++i) {
            sum += simd::sumOfSquares(run.in<float>(i), counts[i]);
        }
        *run.out<float>(0) = static_cast<float>(std::sqrt(sum));
    });
}

}  // namespace

void registerReductionKernels(KernelRegistry& kernels) {
    kernels.add("", "ReduceSum", prepareSum<SumFold, false>);
    kernels.add("", "ReduceMean", prepareSum<MeanFold, true>);
    kernels.add("", "ReduceMax", prepareExtreme<MaxFold>);
    kernels.add("", "ReduceMin", prepareExtreme<MinFold>);
    kernels.add("", "ReduceProd", prepareReduction<ProdFold>);
    kernels.add("", "ReduceL1", prepareReduction<L1Fold>);
    kernels.add("", "ReduceL2", prepareReduction<L2Fold>);
    kernels.add("", "ReduceSumSquare", prepareReduction<SumSquareFold>);
    kernels.add("", "ReduceLogSum", prepareReduction<LogSumFold>);
    kernels.add("", "ReduceLogSumExp", prepareReduction<LogSumExpFold>);
    kernels.add(kMicrosoftDomain, "ReduceSumTraining", prepareSum<SumFold, false>);
    kernels.add(kMicrosoftDomain, "ReduceAllL2", prepareReduceAllL2);
}

}  // namespace temper
