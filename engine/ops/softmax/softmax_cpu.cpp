// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "engine/ops/map_cpu.h"
#include "engine/ops/softmax/softmax.h"
#include "engine/ops/softmax/softmax_loops_cpu.h"
#include "engine/runtime/kernels/row_kernel.h"

namespace temper {
namespace {

SoftmaxLayout layoutOf(const PrepareContext& context) {
    const Shape& shape = context.output(0).shape;
    const auto [given, flattens] = softmaxAxis(context.node(), context.opset());
    const auto rank = static_cast<int64_t>(shape.size());
    const int64_t axis = flattens && given == rank ? rank : normalizeAxis(given, rank, "Softmax");
    SoftmaxLayout layout;
    for (int64_t i = 0; i < rank; ++i) {
        const int64_t dim = shape[static_cast<size_t>(i)];
        if (i < axis) {
            layout.outer *= dim;
        } else if (i == axis || flattens) {
            layout.length *= dim;
        } else {
            layout.inner *= dim;
        }
    }
    return layout;
}

/// Calls f(offset, slab) for slabs that cover the tensor.
template <typename F>
void forSlabs(const RunContext& run, const SoftmaxLayout& layout, const F& f) {
    if (layout.length == 0) return;
    forEachSlab(run.pool(), layout, [&](int64_t block, int64_t first, const SoftmaxSlab& slab) {
        f(block * layout.length * layout.inner + first, slab);
    });
}

/// The form of a kernel that reads `inputs` arrays row by row; empty if the axis is not the last.
template <typename T>
std::optional<RowForm> rowFormOf(const SoftmaxLayout& layout, size_t inputs) {
    if (layout.inner != 1 || layout.outer < 2 || layout.length < 2) return std::nullopt;
    RowForm form{layout.outer, layout.length, sizeof(T), layout.length, true, {}, kMapGrain};
    form.operands.assign(inputs, {sizeof(T), layout.length, 1, layout.outer});
    return form;
}

template <typename T>
using ForwardLoop = void (*)(const T*, T*, const SoftmaxSlab&);
template <typename T>
using BackwardLoop = void (*)(const T*, const T*, T*, const SoftmaxSlab&);

template <typename T>
std::unique_ptr<Kernel> forwardKernel(const PrepareContext& context, ForwardLoop<T> loop) {
    const SoftmaxLayout layout = layoutOf(context);
    if (auto form = rowFormOf<T>(layout, 1)) {
        return makeRowKernel(
            *std::move(form),
            [loop](const void* const* inputs, void* output, int64_t count) {
                loop(static_cast<const T*>(inputs[0]), static_cast<T*>(output), {count, 1, 1});
            },
            {{0, 0}});
    }
    return makeKernel(
        [loop, layout](const RunContext& run) {
            const T* x = run.in<T>(0);
            T* y = run.out<T>(0);
            forSlabs(run, layout, [=](int64_t offset, const SoftmaxSlab& slab) {
                loop(x + offset, y + offset, slab);
            });
        },
        {.mayShare = {{0, 0}}});
}

KernelFactory forward(ForwardLoop<float> single, ForwardLoop<double> wide) {
    return [=](const PrepareContext& context) {
        if (context.input(0).dtype == DType::Float64) return forwardKernel<double>(context, wide);
        context.requireDType(0, DType::Float32);
        return forwardKernel<float>(context, single);
    };
}

template <typename T>
std::unique_ptr<Kernel> backwardKernel(const PrepareContext& context, BackwardLoop<T> loop) {
    if (context.input(0).shape != context.input(1).shape) {
        context.fail(ErrorCode::InvalidInput,
                     "The shapes are " + formatShape(context.input(0).shape) + " and " +
                         formatShape(context.input(1).shape) + "; expected equal shapes.");
    }
    const SoftmaxLayout layout = layoutOf(context);
    if (auto form = rowFormOf<T>(layout, 2)) {
        return makeRowKernel(*std::move(form),
                             [loop](const void* const* inputs, void* output, int64_t count) {
                                 loop(static_cast<const T*>(inputs[0]),
                                      static_cast<const T*>(inputs[1]), static_cast<T*>(output),
                                      {count, 1, 1});
                             },
                             {{0, 0}, {1, 0}});
    }
    return makeKernel(
        [loop, layout](const RunContext& run) {
            const T* dy = run.in<T>(0);
            const T* y = run.in<T>(1);
            T* dx = run.out<T>(0);
            forSlabs(run, layout, [=](int64_t offset, const SoftmaxSlab& slab) {
                loop(dy + offset, y + offset, dx + offset, slab);
            });
        },
        {.mayShare = {{0, 0}, {1, 0}}});
}

KernelFactory backward(BackwardLoop<float> single, BackwardLoop<double> wide) {
    return [=](const PrepareContext& context) {
        context.requireDType(1, context.input(0).dtype);
        if (context.input(0).dtype == DType::Float64) return backwardKernel<double>(context, wide);
        context.requireDType(0, DType::Float32);
        return backwardKernel<float>(context, single);
    };
}

}  // namespace

void registerSoftmaxKernels(KernelRegistry& kernels) {
    kernels.add("", "Softmax", forward(softmaxSlab<float>, softmaxSlab<double>));
    kernels.add("", "LogSoftmax", forward(logSoftmaxSlab<float>, logSoftmaxSlab<double>));
    kernels.add("", "Hardmax", forward(hardmaxSlab<float>, hardmaxSlab<double>));
    for (const char* op : {"SoftmaxGrad", "SoftmaxGrad_13"}) {
        kernels.add(kMicrosoftDomain, op,
                    backward(softmaxGradSlab<float>, softmaxGradSlab<double>));
    }
    for (const char* op : {"LogSoftmaxGrad", "LogSoftmaxGrad_13"}) {
        kernels.add(kMicrosoftDomain, op,
                    backward(logSoftmaxGradSlab<float>, logSoftmaxGradSlab<double>));
    }
}

}  // namespace temper
