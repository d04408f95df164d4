// SPDX-License-Identifier: Apache-2.0
#include "engine/training/trainer/gradient_source.h"

#include <utility>

#include "engine/training/monitors/non_finite.h"

namespace temper {
namespace {

float ratio(int64_t a, int64_t b) { return static_cast<float>(a) / static_cast<float>(b); }

}  // namespace

/// A batch's gradients are the mean over its samples, and they are added to those in the buffers.
/// So the buffers hold a sum in the unit of the latest batch: a batch of another size rescales it.
void WholeBatchGradients::add(const Batch& batch) {
    if (samples_ > 0 && batchSize_ != batch.size)
        session_.scaleGradients(ratio(batchSize_, batch.size));
    batchSize_ = batch.size;
    inputs_ = batch.tensors;
    const double loss = session_.trainStep(inputs_)[0].toDouble();
    requireFinite(session_, inputs_, loss, "loss");
    lossSum_ += loss * static_cast<double>(batch.size);
    samples_ += batch.size;
}

BatchTotals WholeBatchGradients::finish() {
    if (samples_ != batchSize_) session_.scaleGradients(ratio(batchSize_, samples_));
    const int64_t samples = std::exchange(samples_, 0);
    return {std::exchange(lossSum_, 0) / static_cast<double>(samples), samples};
}

BatchTotals RankedGradients::finish() {
    const std::vector<Batch> batches = std::exchange(batches_, {});
    BatchTotals totals;
    for (const Batch& batch : batches) totals.samples += batch.size;
    totals.loss = slices_.compute(batches);
    return totals;
}

}  // namespace temper
