// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "engine/ops/elementwise/elementwise.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

// Scale

/// out = input * scale, or input * (1 / scale): ORT's way to divide by a count.
std::unique_ptr<Kernel> prepareScale(const PrepareContext& context) {
    if (context.input(1).numElements() != 1) {
        context.fail(ErrorCode::InvalidInput, "The scale has the shape " +
                                                  formatShape(context.input(1).shape) +
                                                  "; expected one element.");
    }
    const bool down = context.node().attribute<int64_t>("scale_down", 0) != 0;
    const int64_t count = context.output(0).numElements();
    return visitFloating(context, context.input(0).dtype, [&]<typename T>() {
        return visitNumeric(context, context.input(1).dtype, [&]<typename S>() {
            return makeKernel(
                [=](const RunContext& run) {
                    const T scale = static_cast<T>(*run.in<S>(1));
                    const T factor = down ? T{1} / scale : scale;
                    const T* x = run.in<T>(0);
                    T* y = run.out<T>(0);
                    run.pool().forRanges(count, kMapGrain, [=](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) y[i] = x[i] * factor;
                    });
                },
                {.mayShare = {{0, 0}}});
        });
    });
}

// ScaledSum and BatchScale

std::vector<float> scalesOf(const PrepareContext& context, size_t count) {
    std::vector<float> scales;
    for (size_t k = 0; k < count; ++k) {
        scales.push_back(context.node().attribute<float>("scale_" + std::to_string(k), 1.0F));
    }
    return scales;
}

/// In double precision, for checks.
std::unique_ptr<Kernel> preciseScaledSum(const PrepareContext& context) {
    const size_t inputs = context.inputCount();
    const int64_t count = context.output(0).numElements();
    return makeKernel([=, scales = scalesOf(context, inputs)](const RunContext& run) {
        double* out = run.out<double>(0);
        std::fill(out, out + count, 0.0);
        for (size_t k = 0; k < inputs; ++k) {
            const double* x = run.in<double>(k);
            for (int64_t i = 0; i < count; ++i) out[i] += static_cast<double>(scales[k]) * x[i];
        }
    });
}

std::unique_ptr<Kernel> prepareScaledSum(const PrepareContext& context) {
    const size_t inputs = context.inputCount();
    const bool isDouble = context.input(0).dtype == DType::Float64;
    for (size_t k = 0; k < inputs; ++k) {
        context.requireDType(k, isDouble ? DType::Float64 : DType::Float32);
    }
    if (isDouble) return preciseScaledSum(context);
    const int64_t count = context.output(0).numElements();
    return makeKernel([=, scales = scalesOf(context, inputs)](const RunContext& run) {
        float* out = run.out<float>(0);
        run.pool().forRanges(count, kMapGrain, [&](int64_t begin, int64_t end) {
            simd::scale(run.in<float>(0) + begin, scales[0], out + begin, end - begin);
            for (size_t k = 1; k < inputs; ++k) {
                simd::addScaled(run.in<float>(k) + begin, scales[k], out + begin, end - begin);
            }
        });
    });
}

std::unique_ptr<Kernel> prepareBatchScale(const PrepareContext& context) {
    context.requireDType(0, DType::Float32);
    const size_t outputs = context.outputCount();
    const int64_t count = context.input(0).numElements();
    return makeKernel([=, scales = scalesOf(context, outputs)](const RunContext& run) {
        const float* x = run.in<float>(0);
        run.pool().forRanges(count, kMapGrain, [&](int64_t begin, int64_t end) {
            for (size_t k = 0; k < outputs; ++k) {
                float* y = run.out<float>(k);
                if (y != nullptr) simd::scale(x + begin, scales[k], y + begin, end - begin);
            }
        });
    });
}

// DivGrad

/// dA = sum of dY / B, dB = sum of -dY A / B^2, each summed over the axes that were broadcast.
template <typename T>
class DivGradKernel final : public Kernel {
public:
    explicit DivGradKernel(const PrepareContext& context)
        : plan_(context.input(0).shape, {context.input(1).shape, context.input(2).shape}) {
        for (size_t k = 0; k < 2; ++k) {
            counts_[k] = context.input(k + 1).numElements();
            if (context.hasOutput(k) && counts_[k] != plan_.count()) {
                offsets_[k] = traits_.scratchBytes;
                traits_.scratchBytes += static_cast<size_t>(counts_[k]) * sizeof(double);
            }
        }
    }

    void run(const RunContext& context) const override {
        const T* dy = context.in<T>(0);
        const T* a = context.in<T>(1);
        const T* b = context.in<T>(2);
        accumulate(context, 0, [=](int64_t i, int64_t, int64_t ib) { return dy[i] / b[ib]; });
        accumulate(context, 1, [=](int64_t i, int64_t ia, int64_t ib) {
            return -dy[i] * (a[ia] / (b[ib] * b[ib]));
        });
    }

private:
    template <typename F>
    void accumulate(const RunContext& context, size_t k, F value) const {
        T* out = context.out<T>(k);
        if (out == nullptr) return;
        if (counts_[k] == plan_.count()) {
            context.pool().forRanges(plan_.count(), kMapGrain, [&](int64_t begin, int64_t end) {
                forEach(begin, end,
                        [&](int64_t i, int64_t ia, int64_t ib) { out[i] = value(i, ia, ib); });
            });
            return;
        }
        auto* sums = reinterpret_cast<double*>(context.scratch() + offsets_[k]);
        std::fill(sums, sums + counts_[k], 0.0);
        forEach(0, plan_.count(), [&](int64_t i, int64_t ia, int64_t ib) {
            sums[k == 0 ? ia : ib] += static_cast<double>(value(i, ia, ib));
        });
        for (int64_t i = 0; i < counts_[k]; ++i) out[i] = static_cast<T>(sums[i]);
    }

    template <typename F>
    void forEach(int64_t begin, int64_t end, F f) const {
        const int64_t stepA = plan_.isNumber(0) ? 0 : 1;
        const int64_t stepB = plan_.isNumber(1) ? 0 : 1;
        plan_.forRuns(begin, end, [&](int64_t first, int64_t length, const auto& at) {
            for (int64_t i = 0; i < length; ++i) f(first + i, at[0] + i * stepA, at[1] + i * stepB);
        });
    }

    BroadcastPlan<2> plan_;
    std::array<int64_t, 2> counts_{};
    std::array<size_t, 2> offsets_{};
};

std::unique_ptr<Kernel> prepareDivGrad(const PrepareContext& context) {
    return visitFloating(context, context.input(0).dtype,
                         [&]<typename T>() -> std::unique_ptr<Kernel> {
                             return std::make_unique<DivGradKernel<T>>(context);
                         });
}

}  // namespace

void registerScalingKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "Scale", prepareScale);
    kernels.add(kMicrosoftDomain, "ScaledSum", prepareScaledSum);
    kernels.add(kMicrosoftDomain, "BatchScale", prepareBatchScale);
    kernels.add(kMicrosoftDomain, "DivGrad", prepareDivGrad);
}

}  // namespace temper
