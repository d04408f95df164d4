// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/training/session/training_session.h"
#include "engine/training/trainer/gradient_source.h"

namespace temper {

class LayerMonitor;

struct StepResult {
    double loss = 0;          ///< mean over the samples
    double gradientNorm = 0;  ///< before clipping
    int64_t samples = 0;
};

/// One optimizer step with the gradients of one or more batches.
class OptimizerStep {
public:
    /// Session and gradients have to outlive it. `clipNorm` > 0: gradients are clipped to this
    /// norm; `clipValue` > 0: then each of their numbers is clamped to this size.
    OptimizerStep(TrainingSession& session, GradientSource& gradients, double clipNorm,
                  double clipValue = 0)
        : session_(session), gradients_(gradients), clipNorm_(clipNorm), clipValue_(clipValue) {}

    /// Observes weights and gradients around each update; null: none.
    void setMonitor(LayerMonitor* monitor) { monitor_ = monitor; }

    /// Updates the parameters with the gradients of the batches so far.
    /// Throws: NonFiniteError if a gradient is not finite, before anything is updated.
    StepResult finish(double learningRate);

private:
    TrainingSession& session_;
    GradientSource& gradients_;
    LayerMonitor* monitor_ = nullptr;
    double clipNorm_;
    double clipValue_;
};

}  // namespace temper
