// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "engine/ops/map_cpu.h"
#include "engine/ops/resize/resize.h"
#include "engine/ops/resize/resize_plan.h"
#include "engine/ops/shape/strided_copy.h"
#include "engine/runtime/unknown_data.h"

namespace temper {
namespace {

constexpr int64_t kElementsPerTask = 1 << 14;

ResizeRequest requestOf(const PrepareContext& context, const ResizeForm& form) {
    const auto sizes = [](size_t) { return std::optional<std::vector<Dim>>(); };
    return ResizeRequest::of(
        context.node(), form, [&](size_t input) { return context.constant(input); }, sizes);
}

/// All axes of the node.
/// Throws: UnknownData if what determines them depends on data.
std::vector<ResizeAxis> axesOf(const PrepareContext& context, const ResizeForm& form) {
    const ResizeRequest request = requestOf(context, form);
    if (request.isKnown) return resizeAxes(form, request, context.input(0).shape);
    std::vector<std::string> unknown;
    for (size_t i = 1; i < context.inputCount(); ++i) {
        const bool isUnknown = context.hasInput(i) && context.constant(i) == nullptr;
        if (isUnknown) unknown.push_back(context.node().input(i)->name());
    }
    UnknownData error(unknown, "Its scales, sizes or region depend on data.");
    error.addContext(context.node().describe());
    throw error;
}

// Nearest: each output element is an input element.

/// For each axis, the offsets in the input of the output's positions, in elements; -1: outside.
using Offsets = std::vector<std::vector<int64_t>>;

Offsets nearestOffsets(const ResizeForm& form, const std::vector<ResizeAxis>& axes,
                       const Shape& input) {
    const Shape strides = stridesOf(input);
    Offsets offsets(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        const ResizeTaps taps = resizeTaps(form, axes[i]);
        for (size_t o = 0; o < taps.index.size(); ++o)
            offsets[i].push_back(taps.isOutside[o] ? -1 : taps.index[o] * strides[i]);
    }
    return offsets;
}

/// Where a row of the output starts in the input; -1: outside.
int64_t rowStart(const Offsets& offsets, int64_t row) {
    int64_t start = 0;
    for (size_t axis = offsets.size() - 1; axis-- > 0;) {
        const auto count = static_cast<int64_t>(offsets[axis].size());
        const int64_t offset = offsets[axis][static_cast<size_t>(row % count)];
        if (offset < 0) return -1;
        start += offset;
        row /= count;
    }
    return start;
}

template <typename T>
void copyRow(const std::vector<int64_t>& offsets, int64_t start, T outside, const T* from, T* to) {
    for (const int64_t offset : offsets) {
        *to++ = start < 0 || offset < 0 ? outside : from[start + offset];
    }
}

template <typename T>
std::unique_ptr<Kernel> nearestKernel(Offsets offsets, int64_t rows, T outside) {
    const auto length = static_cast<int64_t>(offsets.back().size());
    return makeKernel([=, offsets = std::move(offsets)](const RunContext& run) {
        run.pool().forRanges(rows, 1 + kElementsPerTask / (length + 1),
                             [&](int64_t begin, int64_t end) {
                                 for (int64_t row = begin; row < end; ++row) {
                                     copyRow(offsets.back(), rowStart(offsets, row), outside,
                                             run.in<T>(0), run.out<T>(0) + row * length);
                                 }
                             });
    });
}

std::unique_ptr<Kernel> makeNearest(const PrepareContext& context, const ResizeForm& form,
                                    const std::vector<ResizeAxis>& axes) {
    const Shape& output = context.output(0).shape;
    const int64_t rows = output.back() == 0 ? 0 : numElements(output) / output.back();
    Offsets offsets = nearestOffsets(form, axes, context.input(0).shape);
    const DType dtype = context.input(0).dtype;
    if (dtype == DType::Bool) {
        return nearestKernel<uint8_t>(std::move(offsets), rows, form.extrapolation != 0 ? 1 : 0);
    }
    return visitNumeric(context, dtype, [&]<typename T>() {
        return nearestKernel<T>(std::move(offsets), rows, static_cast<T>(form.extrapolation));
    });
}

// Linear and cubic: one axis after another.

/// A tensor [outer, input, inner] becomes [outer, output, inner].
template <typename T>
struct Pass {
    int64_t outer = 1;
    int64_t input = 1;
    int64_t output = 1;
    int64_t inner = 1;
    int64_t taps = 1;
    std::vector<int64_t> index;
    std::vector<T> weight;

    int64_t outputSize() const { return outer * output * inner; }
};

/// Along the innermost axis: a sum over taps for each element.
template <typename T>
void resampleRow(const Pass<T>& pass, const T* from, T* to) {
    const int64_t* index = pass.index.data();
    const T* weight = pass.weight.data();
    for (int64_t o = 0; o < pass.output; ++o, index += pass.taps, weight += pass.taps) {
        T sum = 0;
        for (int64_t k = 0; k < pass.taps; ++k) sum += weight[k] * from[index[k]];
        to[o] = sum;
    }
}

/// Along an outer axis: a weighted sum of rows.
template <typename T>
void addRows(const Pass<T>& pass, int64_t o, const T* from, T* to) {
    const auto first = static_cast<size_t>(o * pass.taps);
    std::fill_n(to, pass.inner, T{0});
    for (size_t k = first; k < first + static_cast<size_t>(pass.taps); ++k) {
        const T weight = pass.weight[k];
        const T* row = from + pass.index[k] * pass.inner;
        for (int64_t i = 0; weight != 0 && i < pass.inner; ++i) to[i] += weight * row[i];
    }
}

template <typename T>
void runPass(const Pass<T>& pass, const T* from, T* to, ThreadPool& pool) {
    if (pass.inner == 1) {
        const int64_t work = pass.output * pass.taps + 1;
        pool.forRanges(pass.outer, 1 + kElementsPerTask / work, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                resampleRow(pass, from + i * pass.input, to + i * pass.output);
        });
        return;
    }
    const int64_t work = pass.inner * pass.taps + 1;
    pool.forRanges(
        pass.outer * pass.output, 1 + kElementsPerTask / work, [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                const int64_t outer = row / pass.output, o = row % pass.output;
                addRows(pass, o, from + outer * pass.input * pass.inner, to + row * pass.inner);
            }
        });
}

template <typename T>
class SeparableResize final : public Kernel {
public:
    SeparableResize(const ResizeForm& form, const std::vector<ResizeAxis>& axes, const Shape& input)
        : extrapolation_(static_cast<T>(form.extrapolation)), shape_(input) {
        for (size_t i = axes.size(); i-- > 0;) addAxis(form, axes[i], i);
        if (isEmpty()) passes_.clear();
        int64_t largest = 0;
        for (size_t i = 0; i + 1 < passes_.size(); ++i)
            largest = std::max(largest, passes_[i].outputSize());
        buffer_ = (largest + 15) / 16 * 16;
        traits_.scratchBytes =
            static_cast<size_t>(std::min<int64_t>(2, static_cast<int64_t>(passes_.size()) - 1)) *
            static_cast<size_t>(passes_.empty() ? 0 : buffer_) * sizeof(T);
    }

    void run(const RunContext& context) const override {
        const T* from = context.in<T>(0);
        auto* scratch = reinterpret_cast<T*>(context.scratch());
        if (passes_.empty()) std::copy_n(from, numElements(shape_), context.out<T>(0));
        for (size_t i = 0; i < passes_.size(); ++i) {
            T* to =
                i + 1 == passes_.size() ? context.out<T>(0) : scratch + (i % 2 == 0 ? 0 : buffer_);
            runPass(passes_[i], from, to, context.pool());
            from = to;
        }
        if (hasOutside_) extrapolate(context.out<T>(0));
    }

private:
    bool isEmpty() const { return numElements(shape_) == 0; }

    void addAxis(const ResizeForm& form, const ResizeAxis& axis, size_t i) {
        const ResizeTaps taps = resizeTaps(form, axis);
        outside_.insert(outside_.begin(), taps.isOutside);
        hasOutside_ = hasOutside_ || std::ranges::count(taps.isOutside, true) > 0;
        if (taps.isIdentity(axis.input)) return;
        Pass<T> pass;
        pass.outer = numElements(std::span(shape_).first(i));
        pass.inner = numElements(std::span(shape_).subspan(i + 1));
        pass.input = axis.input;
        pass.output = axis.output;
        pass.taps = taps.count;
        pass.index = taps.index;
        for (const double weight : taps.weight) pass.weight.push_back(static_cast<T>(weight));
        passes_.push_back(std::move(pass));
        shape_[i] = axis.output;
    }

    /// Elements with a coordinate outside along any axis.
    void extrapolate(T* output) const {
        const int64_t count = numElements(shape_);
        for (int64_t i = 0; i < count; ++i) {
            int64_t rest = i;
            bool isOutside = false;
            for (size_t axis = shape_.size(); axis-- > 0; rest /= shape_[axis])
                isOutside = isOutside || outside_[axis][static_cast<size_t>(rest % shape_[axis])];
            if (isOutside) output[i] = extrapolation_;
        }
    }

    T extrapolation_;
    Shape shape_;  ///< of the input at first, of the output in the end
    std::vector<Pass<T>> passes_;
    std::vector<std::vector<bool>> outside_;  ///< by axis
    bool hasOutside_ = false;
    int64_t buffer_ = 0;
};

std::unique_ptr<Kernel> makeResize(const PrepareContext& context) {
    const ResizeForm form = ResizeForm::of(context.node(), context.opset());
    const std::vector<ResizeAxis> axes = axesOf(context, form);
    const Shape& input = context.input(0).shape;
    if (numElements(input) == 0 && context.output(0).numElements() > 0) {
        context.fail(ErrorCode::InvalidInput,
                     "The input has no elements; the output would have some.");
    }
    if (input.empty()) return makeViewKernel();
    if (form.mode == ResizeMode::Nearest) return makeNearest(context, form, axes);
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() -> std::unique_ptr<Kernel> {
                             return std::make_unique<SeparableResize<T>>(form, axes, input);
                         });
}

}  // namespace

void addResizeKernels(KernelRegistry& kernels) {
    kernels.add("", "Resize", makeResize);
    kernels.add("", "Upsample", makeResize);
}

}  // namespace temper
