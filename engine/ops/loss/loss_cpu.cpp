// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/ir/kept_scores.h"
#include "engine/ops/loss/label_reader_cpu.h"
#include "engine/ops/loss/loss.h"
#include "engine/ops/softmax/softmax_loops_cpu.h"
#include "engine/ops/visit_types_cpu.h"

namespace temper {
namespace {

/// What a loss is computed from, and its second output.
enum class LossForm {
    LogProbabilities,  ///< the inputs are logarithms of probabilities
    Scores,            ///< softmax comes first; the second output is its logarithm
    KeptScores,        ///< the second output is the statistics of kept_scores.h
};

/// The losses of all labels in scratch, then their sum in label order.
template <typename T>
class LossKernel final : public Kernel {
public:
    LossKernel(const PrepareContext& context, LossForm form)
        : layout_(lossLayout(context, 0, 1)),
          reader_(context, layout_, 1, 3),
          reduction_(lossReduction(context.node())),
          form_(form),
          hasWeights_(context.hasInput(2)) {
        if (hasWeights_) context.requireDType(2, kDTypeOf<T>);
        traits_.scratchBytes = static_cast<size_t>(layout_.labels()) * sizeof(T);
    }

    void run(const RunContext& context) const override {
        const LabelReader::Labels labels = reader_.read(context);
        T* losses = reduction_ == LossReduction::None ? context.out<T>(0)
                                                      : reinterpret_cast<T*>(context.scratch());
        computeLosses(context, labels, losses);
        if (reduction_ != LossReduction::None)
            *context.out<T>(0) = reduced(context, labels, losses);
    }

private:
    void computeLosses(const RunContext& context, const LabelReader::Labels& labels,
                       T* losses) const {
        const SoftmaxLayout scores{layout_.samples, layout_.classes, layout_.inner};
        forEachSlab(context.pool(), scores, [&](int64_t n, int64_t first, const SoftmaxSlab& slab) {
            computeColumns(context, labels, n, first, slab, losses);
        });
    }

    void computeColumns(const RunContext& context, const LabelReader::Labels& labels, int64_t n,
                        int64_t first, const SoftmaxSlab& slab, T* losses) const {
        const int64_t offset = n * layout_.classes * layout_.inner + first;
        const T* x = context.in<T>(0) + offset;
        T maxima[kSoftmaxColumns] = {};
        T logarithms[kSoftmaxColumns] = {};
        const bool takesSoftmax = form_ != LossForm::LogProbabilities;
        if (takesSoftmax && layout_.classes > 0) logSumExpSlab(x, slab, maxima, logarithms);
        for (int64_t j = 0; j < slab.columns; ++j) {
            const int64_t position = n * layout_.inner + first + j;
            const int64_t label = labels[position];
            const T score = label < 0 ? T{0} : x[label * layout_.inner + j];
            losses[position] =
                label < 0 ? T{0}
                          : -weightOf(context, label) * ((score - maxima[j]) - logarithms[j]);
        }
        T* second = takesSoftmax ? context.out<T>(1) : nullptr;
        if (second == nullptr) return;
        if (form_ == LossForm::KeptScores) {
            T* statistics = second + n * layout_.inner + first;
            std::copy_n(maxima, slab.columns, statistics);
            std::copy_n(logarithms, slab.columns, statistics + layout_.labels());
        } else {
            logProbabilitiesSlab(x, second + offset, slab, maxima, logarithms);
        }
    }

    T weightOf(const RunContext& context, int64_t label) const {
        return hasWeights_ ? context.in<T>(2)[label] : T{1};
    }

    /// A mean over no label at all is 0, as in ORT.
    T reduced(const RunContext& context, const LabelReader::Labels& labels, const T* losses) const {
        double sum = 0;
        double weights = 0;
        for (int64_t i = 0; i < layout_.labels(); ++i) {
            sum += static_cast<double>(losses[i]);
            const int64_t label = labels[i];
            if (label >= 0) weights += static_cast<double>(weightOf(context, label));
        }
        const bool divides = reduction_ == LossReduction::Mean && weights != 0;
        return static_cast<T>(divides ? sum / weights : sum);
    }

    LossLayout layout_;
    LabelReader reader_;
    LossReduction reduction_;
    LossForm form_;
    bool hasWeights_;
};

KernelFactory loss(LossForm form) {
    return [=](const PrepareContext& context) {
        return visitFloating(context, context.input(0).dtype,
                             [&]<typename T>() -> std::unique_ptr<Kernel> {
                                 return std::make_unique<LossKernel<T>>(context, form);
                             });
    };
}

}  // namespace

void registerLossKernels(KernelRegistry& kernels) {
    kernels.add("", "SoftmaxCrossEntropyLoss", loss(LossForm::Scores));
    kernels.add(kMicrosoftDomain, "SoftmaxCrossEntropyLossInternal", loss(LossForm::Scores));
    kernels.add(kept_scores::kDomain, kept_scores::kForward, loss(LossForm::KeptScores));
    kernels.add("", "NegativeLogLikelihoodLoss", loss(LossForm::LogProbabilities));
    kernels.add(kMicrosoftDomain, "NegativeLogLikelihoodLossInternal",
                loss(LossForm::LogProbabilities));
    kernels.add(kMicrosoftDomain, "NegativeLogLikelihoodLossInternal2",
                loss(LossForm::LogProbabilities));
}

}  // namespace temper
