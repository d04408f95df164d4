// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/core/counted.h"
#include "engine/ir/kept_scores.h"
#include "engine/ops/loss/label_reader_cpu.h"
#include "engine/ops/loss/loss.h"
#include "engine/ops/simd_cpu.h"
#include "engine/ops/softmax/softmax_loops_cpu.h"
#include "engine/ops/visit_types_cpu.h"

namespace temper {
namespace {

// y = exp(x) s, with one s for all or one for each element.

void expTimes(const float* x, const float* s, bool isNumber, float* y, int64_t count) {
    simd::expTimes(x, {s, isNumber}, y, count);
}
void expTimes(const double* x, const double* s, bool isNumber, double* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) y[i] = std::exp(x[i]) * s[isNumber ? 0 : i];
}

void addArray(const float* x, float* y, int64_t count) { simd::add({y}, {x}, y, count); }
void addArray(const double* x, double* y, int64_t count) {
    for (int64_t i = 0; i < count; ++i) y[i] += x[i];
}

/// dX = s w (exp(log_prob) - onehot) [+ bias], 0 for an ignored label; s is dY, divided by the sum
/// of weights for a mean. Inputs: dY, log_prob, labels, weights?, ignored label?, bias?,
/// statistics? With statistics, scores are in the place of log_prob; see kept_scores.h.
template <typename T>
class LossGradKernel final : public Kernel {
public:
    explicit LossGradKernel(const PrepareContext& context)
        : layout_(lossLayout(context, 1, 2)),
          reader_(context, layout_, 2, 4),
          reduction_(lossReduction(context.node())),
          hasWeights_(context.hasInput(3)),
          hasBias_(context.hasInput(5)),
          hasStatistics_(context.hasInput(kept_scores::kStatisticsInput)) {
        context.requireDType(0, kDTypeOf<T>);
        for (const size_t i : {size_t{3}, size_t{5}, kept_scores::kStatisticsInput}) {
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
        const SoftmaxLayout scores{layout_.samples, layout_.classes, layout_.inner};
        forEachSlab(context.pool(), scores, [&](int64_t n, int64_t first, const SoftmaxSlab& slab) {
            computeColumns(context, labels, {n, first, divisor}, slab);
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

    struct Columns {
        int64_t sample;
        int64_t first;
        T divisor;
    };

    void computeColumns(const RunContext& context, const LabelReader::Labels& labels,
                        const Columns& columns, const SoftmaxSlab& slab) const {
        const int64_t offset = columns.sample * layout_.classes * layout_.inner + columns.first;
        const int64_t position = columns.sample * layout_.inner + columns.first;
        const T* x = context.in<T>(1) + offset;
        T* dx = context.out<T>(0) + offset;
        T scales[kSoftmaxColumns] = {}, ofLabels[kSoftmaxColumns] = {}, one{1};
        for (int64_t j = 0; j < slab.columns; ++j) {
            const int64_t label = labels[position + j];
            scales[j] = scaleOf(context, position + j, label, columns.divisor);
            // Read before it is overwritten: dx may be x.
            if (label >= 0) ofLabels[j] = x[label * slab.stride + j];
        }
        const T* statistics =
            hasStatistics_ ? context.in<T>(kept_scores::kStatisticsInput) + position : nullptr;
        // The label's scores are a row across the columns.
        expTimes(
            logProbabilities(ofLabels, {1, slab.columns + 1, slab.columns}, statistics, ofLabels),
            &one, true, ofLabels, slab.columns);
        scaleExponentials(x, statistics, scales, slab, dx);
        for (int64_t j = 0; j < slab.columns; ++j) {
            const int64_t label = labels[position + j];
            if (label >= 0) {
                dx[label * slab.stride + j] = (ofLabels[j] - T{1}) * scales[j];
            } else {  // also where a log-probability is NaN
                for (int64_t l = 0; l < slab.length; ++l) dx[l * slab.stride + j] = T{0};
            }
        }
        if (hasBias_) addBias(context.in<T>(5) + offset, slab, dx);
    }

    /// Those of a slab, which are x itself or follow from the statistics of its columns.
    const T* logProbabilities(const T* x, const SoftmaxSlab& slab, const T* statistics,
                              T* buffer) const {
        if (statistics == nullptr) return x;
        logProbabilitiesSlab(x, buffer, slab, statistics, statistics + layout_.labels());
        return buffer;
    }

    /// dx = exp(log-probability) s by column, or along the only one.
    void scaleExponentials(const T* x, const T* statistics, const T* scales,
                           const SoftmaxSlab& slab, T* dx) const {
        const bool isRow = slab.stride == 1;
        T buffer[kSoftmaxColumns];
        for (int64_t at = 0; at < slab.length * slab.stride;
             at += isRow ? kSoftmaxColumns : slab.stride) {
            const int64_t count =
                isRow ? std::min(kSoftmaxColumns, slab.length - at) : slab.columns;
            const SoftmaxSlab part =
                isRow ? SoftmaxSlab{count, 1, 1} : SoftmaxSlab{1, slab.stride, count};
            expTimes(logProbabilities(x + at, part, statistics, buffer), scales, isRow, dx + at,
                     count);
        }
    }

    static void addBias(const T* bias, const SoftmaxSlab& slab, T* dx) {
        if (slab.stride == 1) return addArray(bias, dx, slab.length);
        for (int64_t at = 0; at < slab.length * slab.stride; at += slab.stride)
            addArray(bias + at, dx + at, slab.columns);
    }

    LossLayout layout_;
    LabelReader reader_;
    LossReduction reduction_;
    bool hasWeights_;
    bool hasBias_;
    bool hasStatistics_;
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
    kernels.add(kept_scores::kDomain, kept_scores::kBackward, prepareLossGrad);
}

}  // namespace temper
