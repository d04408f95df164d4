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

/// One optimizer step over one or more batches, whose samples all count the same.
class OptimizerStep {
public:
    /// `clipNorm` > 0: gradients are scaled to this norm at most; `clipValue` > 0: then each of
    /// their numbers is cut to this size.
    OptimizerStep(TrainingSession& session, double clipNorm, double clipValue = 0)
        : session_(session), clipNorm_(clipNorm), clipValue_(clipValue) {}

    /// Sees weights and gradients around each update; null: nobody.
    void setMonitor(LayerMonitor* monitor) { monitor_ = monitor; }

    /// Computes the batch's gradients and adds them to those so far.
    /// Throws: NonFiniteError where the loss is no finite number.
    void add(const Batch& batch);

    /// Updates the parameters and begins anew.
    /// Throws: NonFiniteError where a gradient is no finite number, before anything is updated.
    StepResult finish(double learningRate);

private:
    TrainingSession& session_;
    LayerMonitor* monitor_ = nullptr;
    double clipNorm_;
    double clipValue_;
    double lossSum_ = 0;
    int64_t samples_ = 0;
    int64_t batchSize_ = 0;       ///< of the latest batch
    std::vector<Tensor> inputs_;  ///< of the latest batch, to find what made a NaN
};

}  // namespace temper
