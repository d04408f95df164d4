// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/core/counted.h"
#include "engine/core/saturated_cast.h"
#include "engine/ops/indexing/indexing.h"
#include "engine/ops/indexing/kernel_support.h"

namespace temper {
namespace {

/// A tensor seen as [outer, length, inner] around an axis.
struct AxisView {
    int64_t outer;
    int64_t length;
    int64_t inner;

    static AxisView of(const Shape& shape, int64_t axisAttribute) {
        const auto axis = static_cast<size_t>(
            normalizeAxis(axisAttribute, static_cast<int64_t>(shape.size()), "The axis"));
        const std::span<const int64_t> dims(shape);
        return {numElements(dims.first(axis)), shape[axis], numElements(dims.subspan(axis + 1))};
    }
};

/// One output element per (outer, class, inner); an index outside [-depth, depth) matches no class.
template <typename Index>
std::unique_ptr<Kernel> makeTypedOneHot(const PrepareContext& context) {
    const AxisView view =
        AxisView::of(context.output(0).shape, context.node().attribute<int64_t>("axis", -1));
    const size_t size = elementSize(context, 2);
    const int64_t count = context.output(0).numElements();
    return makeKernel([=](const RunContext& c) {
        const auto* off = c.in<std::byte>(2);
        const auto* on = off + size;
        auto* to = c.out<std::byte>(0);
        fillElements(to, count, off, size, c.pool());
        for (int64_t i = 0; i < view.outer * view.inner; ++i) {
            const auto given = static_cast<double>(c.in<Index>(0)[i]);
            const auto index = saturatedCast<int64_t>(given);
            if (std::isnan(given) || index < -view.length || index >= view.length) continue;
            const int64_t row = index < 0 ? index + view.length : index;
            const int64_t place =
                (i / view.inner * view.length + row) * view.inner + i % view.inner;
            std::memcpy(to + static_cast<size_t>(place) * size, on, size);
        }
    });
}

std::unique_ptr<Kernel> makeOneHot(const PrepareContext& context) {
    if (context.input(2).numElements() != 2) {
        context.fail(ErrorCode::InvalidInput, "The values have shape " +
                                                  formatShape(context.input(2).shape) +
                                                  "; expected two, off and on.");
    }
    return visitDType(context.input(0).dtype,
                      [&]<typename Index>() { return makeTypedOneHot<Index>(context); });
}

template <typename T>
struct Candidate {
    T value;
    int64_t index;
};

template <typename T>
bool isNaN(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
    return false;
}

/// Whether `a` comes before `b` among the largest; NaN counts as largest, ties go to the lower
/// index. A strict order, so that the result does not depend on how it is searched.
template <typename T>
bool isLarger(const Candidate<T>& a, const Candidate<T>& b) {
    if (isNaN(a.value) != isNaN(b.value)) return isNaN(a.value);
    if (a.value > b.value) return true;
    if (a.value < b.value) return false;
    return a.index < b.index;
}

template <typename T>
bool isSmaller(const Candidate<T>& a, const Candidate<T>& b) {
    if (isNaN(a.value) != isNaN(b.value)) return isNaN(b.value);
    if (a.value < b.value) return true;
    if (a.value > b.value) return false;
    return a.index < b.index;
}

/// Keeps the best of a line in a heap whose top is the worst of them.
template <typename T, typename Before>
void selectBest(const T* line, const AxisView& view, std::span<Candidate<T>> best, Before before) {
    const auto count = static_cast<int64_t>(best.size());
    for (int64_t i = 0; i < count; ++i) best[i] = {line[i * view.inner], i};
    std::make_heap(best.begin(), best.end(), before);
    for (int64_t i = count; i < view.length; ++i) {
        const Candidate<T> next{line[i * view.inner], i};
        if (!before(next, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), before);
        best.back() = next;
        std::push_heap(best.begin(), best.end(), before);
    }
    std::sort_heap(best.begin(), best.end(), before);
}

template <typename T>
std::unique_ptr<Kernel> makeTypedTopK(const PrepareContext& context) {
    const int64_t axis = context.node().attribute<int64_t>("axis", -1);
    const AxisView view = AxisView::of(context.input(0).shape, axis);
    const int64_t chosen =
        AxisView::of(context.output(context.hasOutput(0) ? 0 : 1).shape, axis).length;
    if (chosen > view.length) {
        context.fail(ErrorCode::InvalidInput, "The " + std::to_string(chosen) + " largest of " +
                                                  counted(view.length, "element") +
                                                  " are requested.");
    }
    const bool largest = context.node().attribute<int64_t>("largest", 1) != 0;
    const int64_t lines = view.outer * view.inner;
    const auto selectLine = [=](const RunContext& c, int64_t line) {
        const int64_t block = line / view.inner;
        const int64_t column = line % view.inner;
        const std::span<Candidate<T>> best(
            reinterpret_cast<Candidate<T>*>(c.scratch()) + line * chosen,
            static_cast<size_t>(chosen));
        const T* from = c.in<T>(0) + block * view.length * view.inner + column;
        selectBest(from, view, best, largest ? isLarger<T> : isSmaller<T>);
        for (int64_t i = 0; i < chosen; ++i) {
            const int64_t place = (block * chosen + i) * view.inner + column;
            if (c.out<T>(0) != nullptr) c.out<T>(0)[place] = best[i].value;
            if (c.out<int64_t>(1) != nullptr) c.out<int64_t>(1)[place] = best[i].index;
        }
    };
    const auto run = [=](const RunContext& c) {
        if (chosen == 0) return;
        const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, view.length));
        c.pool().forRanges(lines, grain, [&](int64_t begin, int64_t end) {
            for (int64_t line = begin; line < end; ++line) selectLine(c, line);
        });
    };
    return makeKernel(run,
                      {.scratchBytes = static_cast<size_t>(lines * chosen) * sizeof(Candidate<T>)});
}

std::unique_ptr<Kernel> makeTopK(const PrepareContext& context) {
    return visitDType(context.input(0).dtype,
                      [&]<typename T>() { return makeTypedTopK<T>(context); });
}

}  // namespace

void addSelectionKernels(KernelRegistry& kernels) {
    kernels.add("", "OneHot", makeOneHot);
    kernels.add("", "TopK", makeTopK);
}

}  // namespace temper
