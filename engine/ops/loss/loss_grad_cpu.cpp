// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/core/counted.h"
#include "engine/ops/loss/label_reader_cpu.h"
#include "engine/ops/loss/loss.h"
#include "engine/ops/map_cpu.h"

namespace temper {
namespace {

void exponentials(const float* x, float* y, int64_t count) { simd::exp(x, y, count); }
void exponentials(const double* x, double* y, int64_t count) {
    std::transform(x, x + count, y, [](double v) { return std::exp(v); });
}

/// dX = s w (exp(log_prob) - onehot) [+ bias], 0 for an ignored label; s is dY, divided by the sum
/// of weights for a mean. Inputs: dY, log_prob, labels, weights?, ignored label?, bias?
template <typename T>
class LossGradKernel final : public Kernel {
public:
    explicit LossGradKernel(const PrepareContext& context)
        : layout_(lossLayout(context, 1, 2)),
          reader_(context, layout_, 2, 4),
          reduction_(lossReduction(context.node())),
          hasWeights_(context.hasInput(3)),
          hasBias_(context.hasInput(5)) {
        context.requireDType(0, kDTypeOf<T>);
        for (const size_t i : {size_t{3}, size_t{5}}) {
            if (context.hasInput(i)) context.requireDType(i, kDTypeOf<T>);
        }
        const int64_t wanted = reduction_ == LossReduction::None ? layout_.labels() : 1;
        if (context.input(0).numElements() != wanted) {
            context.fail(ErrorCode::InvalidInput, "The gradient of the loss has the shape " +
                                                      formatShape(context.input(0).shape) +
                                                      "; expected " + counted(wanted, "element") +
                                                      ".");
        }
        traits_.mayShare = {{1, 0}};
    }

    void run(const RunContext& context) const override {
        const LabelReader::Labels labels = reader_.read(context);
        const T divisor = divisorOf(context, labels);
        const int64_t work = std::max<int64_t>(1, layout_.classes * layout_.inner);
        const int64_t grain = std::max<int64_t>(1, kMapGrain / work);
        context.pool().forRanges(layout_.samples, grain, [&](int64_t begin, int64_t end) {
            for (int64_t n = begin; n < end; ++n) computeSample(context, labels, n, divisor);
        });
    }

private:
    T weightOf(const RunContext& context, int64_t label) const {
        return hasWeights_ ? context.in<T>(3)[label] : T{1};
    }

    T divisorOf(const RunContext& context, const LabelReader::Labels& labels) const {
        if (reduction_ != LossReduction::Mean) return T{1};
        double weights = 0;
        for (int64_t i = 0; i < layout_.labels(); ++i) {
            const int64_t label = labels[i];
            if (label >= 0) weights += static_cast<double>(weightOf(context, label));
        }
        return weights == 0 ? T{1} : static_cast<T>(weights);
    }

    /// dY w / divisor of one label; 0 if it is ignored.
    T scaleOf(const RunContext& context, int64_t position, int64_t label, T divisor) const {
        if (label < 0) return T{0};
        const T dy = context.in<T>(0)[reduction_ == LossReduction::None ? position : 0];
        return dy * weightOf(context, label) / divisor;
    }

    void computeSample(const RunContext& context, const LabelReader::Labels& labels, int64_t n,
                       T divisor) const {
        const int64_t offset = n * layout_.classes * layout_.inner;
        T* dx = context.out<T>(0) + offset;
        exponentials(context.in<T>(1) + offset, dx, layout_.classes * layout_.inner);
        for (int64_t d = 0; d < layout_.inner; ++d) {
            const int64_t position = n * layout_.inner + d;
            const int64_t label = labels[position];
            const T scale = scaleOf(context, position, label, divisor);
            if (label >= 0) dx[label * layout_.inner + d] -= T{1};
            for (int64_t c = 0; c < layout_.classes; ++c) {
                T& element = dx[c * layout_.inner + d];
                element = label < 0 ? T{0} : element * scale;
            }
        }
        if (!hasBias_) return;
        const T* bias = context.in<T>(5) + offset;
        for (int64_t i = 0; i < layout_.classes * layout_.inner; ++i) dx[i] += bias[i];
    }

    LossLayout layout_;
    LabelReader reader_;
    LossReduction reduction_;
    bool hasWeights_;
    bool hasBias_;
};

std::unique_ptr<Kernel> prepareLossGrad(const PrepareContext& context) {
    return visitFloating(context, context.input(1).dtype,
                         [&]<typename T>() -> std::unique_ptr<Kernel> {
                             return std::make_unique<LossGradKernel<T>>(context);
                         });
}

}  // namespace

void registerLossGradKernels(KernelRegistry& kernels) {
    kernels.add(kMicrosoftDomain, "SoftmaxCrossEntropyLossGrad", prepareLossGrad);
    kernels.add(kMicrosoftDomain, "SoftmaxCrossEntropyLossInternalGrad", prepareLossGrad);
}

}  // namespace temper
