// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/ops/pooling/max_pool_blocks_cpu.h"
#include "engine/ops/pooling/pooling.h"
#include "engine/ops/pooling/pooling_loops_cpu.h"
#include "engine/ops/pooling/windows.h"
#include "engine/ops/reduction/plane_sum_cpu.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/visit_types_cpu.h"
#include "engine/runtime/cpu/sums.h"
#include "engine/runtime/kernels/blockable_kernel.h"

namespace temper {
namespace {

constexpr int64_t kElementsPerTask = 1 << 14;

/// Calls f(plane) for every image of the batch and every channel.
template <typename F>
void forEachPlane(ThreadPool& pool, int64_t planes, int64_t planeSize, F&& f) {
    pool.forRanges(planes, 1 + kElementsPerTask / (planeSize + 1), [&](int64_t begin, int64_t end) {
        for (int64_t plane = begin; plane < end; ++plane) f(plane);
    });
}

/// The geometry of a pool whose images are those of `image`.
PoolGeometry preparedGeometry(const PrepareContext& context, const WindowAttributes& window,
                              const Shape& image) {
    if (image.size() <= 5) return PoolGeometry::of(window, image);
    context.fail(ErrorCode::Unsupported, "The images have " + std::to_string(image.size() - 2) +
                                             " spatial dimensions; expected at most 3.");
}

// MaxPool

/// Position inside a column-major image of a row-major position.
int64_t columnMajor(const PoolGeometry& geometry, int64_t position) {
    const auto& [depth, height, width] = geometry.axes;
    const int64_t w = position % width.input, h = position / width.input % height.input;
    const int64_t d = position / (width.input * height.input);
    return (w * height.input + h) * depth.input + d;
}

/// Starts a row of maxima with the first tap of each window.
template <typename T>
void startMaxima(const PoolGeometry& geometry, const TapRange& depth, const TapRange& height,
                 const T* x, T* y, int64_t* places) {
    const WindowAxis& width = geometry.axes[2];
    const int64_t row = (depth.begin * geometry.axes[1].input + height.begin) * width.input;
    for (int64_t o = 0; o < width.output; ++o) {
        const int64_t first = row + TapRange::of(width, o).begin;
        y[o] = x[first];
        if (places != nullptr) places[o] = first;
    }
}

/// y = max(y, taps). Without branches: which tap is the largest can't be predicted.
template <typename T>
void raiseMaxima(OutputRange range, const T* x, int64_t input, int64_t stride, T* y,
                 int64_t* places) {
    for (int64_t o = range.begin; places != nullptr && o < range.end; ++o) {
        const int64_t place = input + o * stride;
        const int64_t isLarger = -static_cast<int64_t>(x[place] > y[o]);
        places[o] = (place & isLarger) | (places[o] & ~isLarger);
        y[o] = std::max(y[o], x[place]);
    }
    for (int64_t o = range.begin; places == nullptr && o < range.end; ++o)
        y[o] = std::max(y[o], x[input + o * stride]);
}

/// Output o of a row, window by window.
template <typename T>
void maxOfWindow(const PoolGeometry& geometry, const TapRange& depth, const TapRange& height,
                 int64_t o, const T* x, T* y, int64_t* places) {
    const TapRange width = TapRange::of(geometry.axes[2], o);
    int64_t best = -1;
    forEachTap(geometry, depth, height, width,
               [&](int64_t i) { best = best < 0 || x[i] > x[best] ? i : best; });
    y[o] = x[best];
    if (places != nullptr) places[o] = best;
}

/// A row of maxima, many windows at once if none reaches into the padding.
/// Returns: false, without doing anything, if that is not worth it.
bool maxPoolRow(const PoolGeometry& geometry, const TapRange& depth, const TapRange& height,
                const float* x, float* y, int64_t* places) {
    const WindowAxis& width = geometry.axes[2];
    if (depth.count() != 1) return false;
    const int64_t begin = OutputRange::of(width, 0).begin;
    const int64_t end = std::max(begin, OutputRange::of(width, width.kernel - 1).end);
    const int64_t row = (depth.begin * geometry.axes[1].input + height.begin) * width.input;
    const simd::WindowRow windows{.outputs = end - begin,
                                  .first = row + width.start(begin),
                                  .stride = width.stride,
                                  .rows = height.count(),
                                  .columns = width.kernel,
                                  .rowStep = height.step * width.input,
                                  .columnStep = width.dilation};
    int64_t* inner = places == nullptr ? nullptr : places + begin;
    if (!simd::maxOfWindows(windows, x, y + begin, inner)) return false;
    for (int64_t o = 0; o < begin; ++o) maxOfWindow(geometry, depth, height, o, x, y, places);
    for (int64_t o = end; o < width.output; ++o)
        maxOfWindow(geometry, depth, height, o, x, y, places);
    return true;
}

template <typename T>
void maxPoolPlane(const PoolGeometry& geometry, const T* x, T* y, int64_t* places) {
    const int64_t stride = geometry.axes[2].stride;
    forEachOutputRow(geometry, [&](int64_t first, TapRange depth, TapRange height) {
        T* row = y + first;
        int64_t* rowPlaces = places == nullptr ? nullptr : places + first;
        if constexpr (std::is_same_v<T, float>) {
            if (maxPoolRow(geometry, depth, height, x, row, rowPlaces)) return;
        }
        startMaxima(geometry, depth, height, x, row, rowPlaces);
        forEachRowTap(geometry, depth, height, [&](OutputRange range, int64_t input) {
            raiseMaxima(range, x, input, stride, row, rowPlaces);
        });
    });
}

template <typename T>
std::unique_ptr<Kernel> maxPoolKernel(const PoolGeometry& geometry, bool hasIndices,
                                      bool isColumnMajor) {
    return makeKernel([=](const RunContext& c) {
        const int64_t in = geometry.inputSize(), out = geometry.outputSize();
        int64_t* indices = hasIndices ? c.out<int64_t>(1) : nullptr;
        forEachPlane(c.pool(), geometry.planes, in, [&](int64_t plane) {
            int64_t* places = indices == nullptr ? nullptr : indices + plane * out;
            maxPoolPlane(geometry, c.in<T>(0) + plane * in, c.out<T>(0) + plane * out, places);
            for (int64_t i = 0; places != nullptr && i < out; ++i) {
                if (isColumnMajor) places[i] = columnMajor(geometry, places[i]);
                places[i] += plane * in;
            }
        });
    });
}

/// A window that is entirely in the padding has no maximum.
void requireTaps(const PrepareContext& context, const PoolGeometry& geometry) {
    for (const WindowAxis& axis : geometry.axes) {
        for (int64_t output = 0; output < axis.output; ++output) {
            if (TapRange::of(axis, output).count() > 0) continue;
            context.fail(
                ErrorCode::InvalidInput,
                "A window is entirely in the padding; expected pads smaller than the window.");
        }
    }
}

std::unique_ptr<Kernel> prepareMaxPool(const PrepareContext& context) {
    const auto attributes = PoolAttributes::of(context.node());
    const auto geometry = preparedGeometry(context, attributes.window, context.input(0).shape);
    if (geometry.planes > 0) requireTaps(context, geometry);
    const bool indices = context.hasOutput(1), columns = attributes.columnMajor;
    const DType dtype = context.input(0).dtype;
    const auto candidates = blockableOf(context, {0b1, 0b11});
    if (dtype == DType::Float32 && candidates.hasInput(0) && candidates.hasOutput(0) && !columns) {
        return makeBlockable(context, candidates, true, [=](BlockedOperands blocked) {
            return blocked.isEmpty() ? maxPoolKernel<float>(geometry, indices, columns)
                                     : blockedMaxPoolKernel(geometry, indices);
        });
    }
    return visitTypes<float, double, int8_t, uint8_t>(
        context, dtype, "float32, float64, int8 or uint8",
        [&]<typename T>() { return maxPoolKernel<T>(geometry, indices, columns); });
}

template <typename T>
std::unique_ptr<Kernel> maxPoolGradKernel(int64_t planes, int64_t in, int64_t out,
                                          std::string node) {
    return makeKernel([=](const RunContext& c) {
        const T* dy = c.in<T>(0);
        const int64_t* indices = c.in<int64_t>(1);
        T* dx = c.out<T>(0);
        forEachPlane(c.pool(), planes, in, [&](int64_t plane) {
            const int64_t first = plane * in;
            std::fill_n(dx + first, in, T{});
            for (int64_t i = plane * out; i < (plane + 1) * out; ++i) {
                if (indices[i] < first || indices[i] >= first + in) failPoolIndex(node, indices[i]);
                dx[indices[i]] += dy[i];
            }
        });
    });
}

std::unique_ptr<Kernel> prepareMaxPoolGrad(const PrepareContext& context) {
    const Shape& image = context.output(0).shape;
    context.requireDType(1, DType::Int64);
    if (context.input(1).shape != context.input(0).shape || image.size() < 3) {
        context.fail(ErrorCode::InvalidInput, "The indices have the shape " +
                                                  formatShape(context.input(1).shape) +
                                                  "; expected that of the gradient, " +
                                                  formatShape(context.input(0).shape) + ".");
    }
    const int64_t planes = image[0] * image[1];
    const int64_t in = planes == 0 ? 0 : context.output(0).numElements() / planes;
    const int64_t out = planes == 0 ? 0 : context.input(0).numElements() / planes;
    const std::string node = context.node().describe();
    const auto blockable = blockableOf(context, {0b11, 0b1});
    if (blockable.hasInput(0) && blockable.hasOutput(0)) {
        const auto windows = WindowsApart::of(PoolAttributes::of(context.node()).window, image,
                                              context.input(0).shape);
        return makeBlockable(context, blockable, true, [=](BlockedOperands blocked) {
            return blocked.isEmpty() ? maxPoolGradKernel<float>(planes, in, out, node)
                                     : blockedMaxPoolGradKernel(planes, in, out, windows, node);
        });
    }
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() { return maxPoolGradKernel<T>(planes, in, out, node); });
}

// AveragePool

/// y = sums of the windows.
template <typename T>
void sumWindows(const PoolGeometry& geometry, const T* x, T* y) {
    const int64_t stride = geometry.axes[2].stride;
    std::fill_n(y, geometry.outputSize(), T{});
    forEachOutputRow(geometry, [&](int64_t first, TapRange depth, TapRange height) {
        T* row = y + first;
        forEachRowTap(geometry, depth, height, [&](OutputRange range, int64_t input) {
            for (int64_t o = range.begin; o < range.end; ++o) row[o] += x[input + o * stride];
        });
    });
}

/// dx = sum over the windows of dy / divisor.
template <typename T>
void spreadGradient(const PoolGeometry& geometry, const T* dy, const std::vector<int64_t>& divisors,
                    T* dx) {
    const int64_t stride = geometry.axes[2].stride;
    std::fill_n(dx, geometry.inputSize(), T{});
    forEachOutputRow(geometry, [&](int64_t first, TapRange depth, TapRange height) {
        const T* row = dy + first;
        const int64_t* divisor = divisors.data() + first;
        forEachRowTap(geometry, depth, height, [&](OutputRange range, int64_t input) {
            for (int64_t o = range.begin; o < range.end; ++o)
                dx[input + o * stride] += row[o] / static_cast<T>(divisor[o]);
        });
    });
}

std::unique_ptr<Kernel> prepareAveragePool(const PrepareContext& context) {
    const auto attributes = PoolAttributes::of(context.node());
    const auto geometry = preparedGeometry(context, attributes.window, context.input(0).shape);
    const auto divisors = averageDivisors(geometry, attributes.countIncludePad);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel([=](const RunContext& c) {
            const int64_t in = geometry.inputSize(), out = geometry.outputSize();
            forEachPlane(c.pool(), geometry.planes, in, [&](int64_t plane) {
                const T* x = c.in<T>(0) + plane * in;
                T* y = c.out<T>(0) + plane * out;
                sumWindows(geometry, x, y);
                for (int64_t o = 0; o < out; ++o)
                    y[o] /= static_cast<T>(divisors[static_cast<size_t>(o)]);
            });
        });
    });
}

std::unique_ptr<Kernel> prepareAveragePoolGrad(const PrepareContext& context) {
    const auto attributes = PoolAttributes::of(context.node());
    const auto geometry = preparedGeometry(context, attributes.window, context.output(0).shape);
    if (geometry.planes * geometry.outputSize() != context.input(0).numElements()) {
        context.fail(ErrorCode::InvalidInput,
                     "The gradient has the shape " + formatShape(context.input(0).shape) +
                         ", which no pool of " + formatShape(context.output(0).shape) +
                         " with these attributes can have.",
                     "Declare the type of the output as that of the pool's input.");
    }
    const auto divisors = averageDivisors(geometry, attributes.countIncludePad);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel([=](const RunContext& c) {
            const int64_t in = geometry.inputSize(), out = geometry.outputSize();
            forEachPlane(c.pool(), geometry.planes, in, [&](int64_t plane) {
                const T* dy = c.in<T>(0) + plane * out;
                T* dx = c.out<T>(0) + plane * in;
                std::fill_n(dx, in, T{});
                spreadGradient(geometry, dy, divisors, dx);
            });
        });
    });
}

// LpPool

template <typename T>
T powerOf(T x, int64_t p) {
    const T magnitude = std::abs(x);
    if (p == 1) return magnitude;
    return p == 2 ? x * x : std::pow(magnitude, static_cast<T>(p));
}

template <typename T>
T rootOf(T x, int64_t p) {
    if (p == 1) return x;
    return p == 2 ? std::sqrt(x) : std::pow(x, T{1} / static_cast<T>(p));
}

std::unique_ptr<Kernel> prepareLpPool(const PrepareContext& context) {
    const auto attributes = PoolAttributes::of(context.node());
    const auto geometry = preparedGeometry(context, attributes.window, context.input(0).shape);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return makeKernel([geometry, p = attributes.p](const RunContext& c) {
            const int64_t in = geometry.inputSize(), out = geometry.outputSize();
            forEachPlane(c.pool(), geometry.planes, in, [&](int64_t plane) {
                const T* x = c.in<T>(0) + plane * in;
                T* y = c.out<T>(0) + plane * out;
                forEachWindow(geometry, [&](int64_t o, TapRange d, TapRange h, TapRange w) {
                    T total{};
                    forEachTap(geometry, d, h, w, [&](int64_t i) { total += powerOf(x[i], p); });
                    y[o] = rootOf(total, p);
                });
            });
        });
    });
}

// Global pools

/// A kernel that maps each image to one number: f(const T* image, int64_t size).
template <typename T, typename F>
std::unique_ptr<Kernel> globalPoolKernel(const Shape& shape, F f) {
    const int64_t planes = shape[0] * shape[1];
    const int64_t size = planes == 0 ? 0 : numElements(shape) / planes;
    return makeKernel([=](const RunContext& c) {
        forEachPlane(c.pool(), planes, size, [&](int64_t plane) {
            c.out<T>(0)[plane] = f(c.in<T>(0) + plane * size, size);
        });
    });
}

std::unique_ptr<Kernel> prepareGlobalAveragePool(const PrepareContext& context) {
    if (auto mean = makePlaneSum(context, true)) return mean;
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return globalPoolKernel<T>(context.input(0).shape, [](const T* x, int64_t size) {
            return static_cast<T>(simd::sumInLanes(x, size) / static_cast<double>(size));
        });
    });
}

std::unique_ptr<Kernel> prepareGlobalMaxPool(const PrepareContext& context) {
    if (context.input(0).numElements() == 0 && context.output(0).numElements() > 0)
        context.fail(ErrorCode::InvalidInput, "The images are empty and have no maximum.");
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return globalPoolKernel<T>(context.input(0).shape, [](const T* x, int64_t size) {
            return *std::max_element(x, x + size);
        });
    });
}

std::unique_ptr<Kernel> prepareGlobalLpPool(const PrepareContext& context) {
    const auto p = context.node().attribute<int64_t>("p", 2);
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return globalPoolKernel<T>(context.input(0).shape, [p](const T* x, int64_t size) {
            const double total = sumOver<T>(size, [&](int64_t i) { return powerOf(x[i], p); });
            return static_cast<T>(rootOf(total, p));
        });
    });
}

}  // namespace

void addPoolingCpuKernels(KernelRegistry& kernels) {
    kernels.add(kOnnxDomain, "MaxPool", prepareMaxPool);
    kernels.add(kOnnxDomain, "MaxPoolGrad", prepareMaxPoolGrad);
    kernels.add(kOnnxDomain, "AveragePool", prepareAveragePool);
    kernels.add(kOnnxDomain, "AveragePoolGrad", prepareAveragePoolGrad);
    kernels.add(kOnnxDomain, "LpPool", prepareLpPool);
    kernels.add(kOnnxDomain, "GlobalAveragePool", prepareGlobalAveragePool);
    kernels.add(kOnnxDomain, "GlobalMaxPool", prepareGlobalMaxPool);
    kernels.add(kOnnxDomain, "GlobalLpPool", prepareGlobalLpPool);
}

}  // namespace temper
