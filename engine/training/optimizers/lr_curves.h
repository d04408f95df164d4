// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace temper {

/// Learning rates and factors of them as functions of the optimizer steps done. If PyTorch has the
/// schedule, the numbers are its own (torch.optim.lr_scheduler), in closed form and constant after
/// the last step.

/// Factor of the initial rate after `step` optimizer steps: up from 0 in `warmupSteps`, then down
/// to 0 at `totalSteps`. Source: spec/training_api.md section 5.
double linearLrFactor(int64_t step, int64_t warmupSteps, int64_t totalSteps);

/// Half a cosine from `start` to `end`; `done` from 0 to 1.
double cosineBetween(double start, double end, double done);

/// gamma for each milestone reached.
double multiStepFactor(int64_t step, std::span<const double> milestones, double gamma);

/// Cycles of `firstCycle` steps, each `growth` times as long as the one before it.
/// Returns: the completed share of the current cycle, from 0 to below 1. Source: Loshchilov &
/// Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts (2017).
double restartProgress(int64_t step, double firstCycle, double growth);

/// A schedule that rises to `peak` and falls to almost nothing. Source: Smith & Topin,
/// Super-Convergence (2018), in the form of PyTorch's OneCycleLR; momentum stays as it is.
struct OneCycle {
    double peak = 0;
    int64_t totalSteps = 0;
    double risingShare = 0.3;    ///< of the steps
    double initialDivisor = 25;  ///< the first rate is peak / initialDivisor
    double finalDivisor = 1e4;   ///< the last rate is the first / finalDivisor
    bool straight = false;       ///< lines instead of half cosines
    bool threePhases = false;    ///< falls to the first rate as it rose, then to the last one

    double rateAt(int64_t step) const;
};

}  // namespace temper
