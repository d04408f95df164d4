// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/saturated_cast.h"
#include "engine/ops/map_cpu.h"
#include "engine/ops/signal/signal.h"

namespace temper {
namespace {

/// w[n] = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N). Source: ONNX, operators HannWindow,
/// HammingWindow and BlackmanWindow.
struct CosineWindow {
    double a0;
    double a1;
    double a2;

    double at(double phase) const {
        return a0 - a1 * std::cos(2 * std::numbers::pi * phase) +
               a2 * std::cos(4 * std::numbers::pi * phase);
    }
};

constexpr CosineWindow kHann{0.5, 0.5, 0.0};
constexpr CosineWindow kHamming{25.0 / 46.0, 21.0 / 46.0, 0.0};
constexpr CosineWindow kBlackman{0.42, 0.5, 0.08};

/// A periodic window leaves out its last point, which is the first of the next period.
KernelFactory windowKernel(CosineWindow window) {
    return [window](const PrepareContext& context) {
        const int64_t size = context.output(0).numElements();
        const bool isPeriodic = context.node().attribute<int64_t>("periodic", 1) != 0;
        const auto period = static_cast<double>(isPeriodic ? size : size - 1);
        return visitNumeric(context, context.output(0).dtype, [&]<typename T>() {
            return makeKernel([=](const RunContext& run) {
                T* y = run.out<T>(0);
                for (int64_t i = 0; i < size; ++i) {
                    const double w = size == 1 ? 1.0 : window.at(static_cast<double>(i) / period);
                    y[i] = static_cast<T>(w);
                }
            });
        });
    };
}

/// Triangles whose corners are equally spaced on the mel scale.
/// Source: ONNX, operator MelWeightMatrix.
class MelTriangles {
public:
    MelTriangles(int64_t bins, int64_t dftLength, int64_t sampleRate, double low, double high)
        : dftLength_(dftLength),
          sampleRate_(sampleRate),
          start_(mel(low)),
          step_((mel(high) - start_) / (static_cast<double>(bins) + 2)) {}

    /// The spectrum's bin at a corner.
    int64_t corner(int64_t i) const {
        const double hertz =
            kBreak * (std::pow(10.0, (start_ + static_cast<double>(i) * step_) / kScale) - 1);
        const double bin = std::floor((static_cast<double>(dftLength_) + 1) * hertz /
                                      static_cast<double>(sampleRate_));
        return std::clamp<int64_t>(saturatedCast<int64_t>(bin), 0, dftLength_ / 2);
    }

    double weight(int64_t triangle, int64_t bin) const {
        const int64_t low = corner(triangle), center = corner(triangle + 1),
                      high = corner(triangle + 2);
        if (bin == center) return 1;
        if (bin >= low && bin < center) return ratio(bin - low, center - low);
        return bin > center && bin < high ? ratio(high - bin, high - center) : 0;
    }

private:
    static constexpr double kScale = 2595;
    static constexpr double kBreak = 700;
    static double mel(double hertz) { return kScale * std::log10(1 + hertz / kBreak); }
    static double ratio(int64_t a, int64_t b) {
        return static_cast<double>(a) / static_cast<double>(b);
    }

    int64_t dftLength_;
    int64_t sampleRate_;
    double start_;
    double step_;
};

double edge(const RunContext& run, size_t input, DType dtype) {
    return dtype == DType::Float64 ? *run.in<double>(input)
                                   : static_cast<double>(*run.in<float>(input));
}

std::unique_ptr<Kernel> prepareMelWeights(const PrepareContext& context) {
    for (size_t input = 0; input < 5; ++input) {
        if (context.input(input).numElements() == 1) continue;
        context.fail(ErrorCode::InvalidInput, "Input " + std::to_string(input) + " has the shape " +
                                                  formatShape(context.input(input).shape) +
                                                  "; expected one number.");
    }
    const int64_t bins = context.integers(0).at(0), dftLength = context.integers(1).at(0);
    const int64_t sampleRate = context.integers(2).at(0);
    const DType lowType = context.input(3).dtype, highType = context.input(4).dtype;
    for (const size_t input : {3, 4}) {
        if (context.input(input).dtype != DType::Float64) {
            context.requireDType(input, DType::Float32);
        }
    }
    if (sampleRate <= 0) {
        context.fail(ErrorCode::InvalidInput,
                     "The sample rate is " + std::to_string(sampleRate) + "; expected 1 or more.");
    }
    const int64_t rows = context.output(0).shape[0];
    return visitNumeric(context, context.output(0).dtype, [&]<typename T>() {
        return makeKernel([=](const RunContext& run) {
            const MelTriangles triangles(bins, dftLength, sampleRate, edge(run, 3, lowType),
                                         edge(run, 4, highType));
            T* y = run.out<T>(0);
            run.pool().forRanges(rows * bins, kSlowMapGrain, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    y[i] = static_cast<T>(triangles.weight(i % bins, i / bins));
                }
            });
        });
    });
}

}  // namespace

void addWindowKernels(KernelRegistry& kernels) {
    kernels.add("", "HannWindow", windowKernel(kHann));
    kernels.add("", "HammingWindow", windowKernel(kHamming));
    kernels.add("", "BlackmanWindow", windowKernel(kBlackman));
    kernels.add("", "MelWeightMatrix", prepareMelWeights);
}

}  // namespace temper
