// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/batch_loader.h"
#include "engine/training/session/training_session.h"

namespace temper {

class LayerMonitor;

struct StepResult {
    double loss = 0;          ///< mean over the samples
    double gradientNorm = 0;  ///< before clipping
    int64_t samples = 0;
};

/// One optimizer step over one or more batches, whose samples all have equal weight.
class OptimizerStep {
public:
    /// `clipNorm` > 0: gradients are clipped to this norm; `clipValue` > 0: then each of their
    /// numbers is clamped to this size.
    OptimizerStep(TrainingSession& session, double clipNorm, double clipValue = 0)
        : session_(session), clipNorm_(clipNorm), clipValue_(clipValue) {}

    /// Observes weights and gradients around each update; null: none.
    void setMonitor(LayerMonitor* monitor) { monitor_ = monitor; }

    /// Computes the batch's gradients and adds them to those so far.
    /// Throws: NonFiniteError if the loss is not finite.
    void add(const Batch& batch);

    /// Updates the parameters and starts over.
    /// Throws: NonFiniteError if a gradient is not finite, before anything is updated.
    StepResult finish(double learningRate);

private:
    TrainingSession& session_;
    LayerMonitor* monitor_ = nullptr;
    double clipNorm_;
    double clipValue_;
    double lossSum_ = 0;
    int64_t samples_ = 0;
    int64_t batchSize_ = 0;       ///< of the latest batch
    std::vector<Tensor> inputs_;  ///< of the latest batch, to find the source of a NaN
};

}  // namespace temper
