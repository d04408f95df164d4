// SPDX-License-Identifier: Apache-2.0
#include "engine/core/counted.h"
#include "engine/core/wrapping.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/reduction/reduction.h"

namespace temper {
namespace {

/// A tensor as [outer, length, inner] around one axis.
struct AxisLayout {
    int64_t outer = 1;
    int64_t length = 1;
    int64_t inner = 1;
};

AxisLayout layoutOf(const Shape& shape, int64_t axis) {
    const int64_t at = normalizeAxis(axis, static_cast<int64_t>(shape.size()), "Axis");
    AxisLayout layout;
    for (size_t i = 0; i < shape.size(); ++i) {
        const auto place = static_cast<int64_t>(i);
        int64_t& part = place < at ? layout.outer : place == at ? layout.length : layout.inner;
        part *= shape[i];
    }
    return layout;
}

struct ArgOptions {
    bool isMax = true;
    bool takesLast = false;
};

/// The index of the extreme in one column; of equal elements the first, or the last.
template <typename T>
int64_t argOf(const T* x, const AxisLayout& layout, ArgOptions options) {
    int64_t best = 0;
    for (int64_t l = 1; l < layout.length; ++l) {
        const T candidate = x[l * layout.inner];
        const T leader = x[best * layout.inner];
        const bool isBeyond = options.isMax ? candidate > leader : candidate < leader;
        if (isBeyond || (options.takesLast && candidate == leader)) best = l;
    }
    return best;
}

KernelFactory arg(bool isMax) {
    return [isMax](const PrepareContext& context) {
        const Node& node = context.node();
        const AxisLayout layout =
            layoutOf(context.input(0).shape, node.attribute<int64_t>("axis", 0));
        const ArgOptions options{isMax, node.attribute<int64_t>("select_last_index", 0) != 0};
        return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
            return makeKernel([=](const RunContext& run) {
                const T* x = run.in<T>(0);
                auto* y = run.out<int64_t>(0);
                const int64_t count = layout.outer * layout.inner;
                const int64_t grain =
                    std::max<int64_t>(1, kMapGrain / std::max<int64_t>(1, layout.length));
                run.pool().forRanges(count, grain, [&](int64_t begin, int64_t end) {
                    for (int64_t i = begin; i < end; ++i) {
                        const int64_t offset =
                            i / layout.inner * layout.length * layout.inner + i % layout.inner;
                        y[i] = argOf(x + offset, layout, options);
                    }
                });
            });
        });
    };
}

struct RunningOptions {
    bool exclusive = false;
    bool reverse = false;
};

/// y = f(..., f(start, x0), x1, ...) of all elements so far.
template <typename T, typename F>
void foldColumn(const T* x, T* y, const AxisLayout& layout, RunningOptions options, T start, F f) {
    T total = start;
    for (int64_t l = 0; l < layout.length; ++l) {
        const int64_t at = (options.reverse ? layout.length - 1 - l : l) * layout.inner;
        const T element = x[at];
        if (options.exclusive) y[at] = total;
        total = static_cast<T>(f(total, element));
        if (!options.exclusive) y[at] = total;
    }
}

template <typename F>
std::unique_ptr<Kernel> prepareRunning(const PrepareContext& context, int start, F f) {
    const std::vector<int64_t> axis = context.integers(1);
    if (axis.size() != 1) {
        context.fail(ErrorCode::InvalidInput,
                     "The axis has " + counted(axis.size(), "element") + "; expected one.");
    }
    const AxisLayout layout = layoutOf(context.input(0).shape, axis.front());
    const RunningOptions options{context.node().attribute<int64_t>("exclusive", 0) != 0,
                                 context.node().attribute<int64_t>("reverse", 0) != 0};
    return visitNumeric(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel(
            [=](const RunContext& run) {
                const T* x = run.in<T>(0);
                T* y = run.out<T>(0);
                const int64_t grain =
                    std::max<int64_t>(1, kMapGrain / std::max<int64_t>(1, layout.length));
                run.pool().forRanges(
                    layout.outer * layout.inner, grain, [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                            const int64_t offset =
                                i / layout.inner * layout.length * layout.inner + i % layout.inner;
                            foldColumn(x + offset, y + offset, layout, options,
                                       static_cast<T>(start), f);
                        }
                    });
            },
            {.mayShare = {{0, 0}}});
    });
}

std::unique_ptr<Kernel> prepareCumSum(const PrepareContext& context) {
    return prepareRunning(context, 0, [](auto a, auto b) { return wrappingAdd(a, b); });
}

std::unique_ptr<Kernel> prepareCumProd(const PrepareContext& context) {
    return prepareRunning(context, 1, [](auto a, auto b) { return wrappingMultiply(a, b); });
}

}  // namespace

void registerArgKernels(KernelRegistry& kernels) {
    kernels.add("", "ArgMax", arg(true));
    kernels.add("", "ArgMin", arg(false));
    kernels.add("", "CumSum", prepareCumSum);
    kernels.add("", "CumProd", prepareCumProd);
}

}  // namespace temper
