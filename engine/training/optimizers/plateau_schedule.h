// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "engine/training/optimizers/lr_schedule.h"

namespace temper {

/// When and by how much a rate falls that follows the evaluations.
struct PlateauRule {
    double factor = 0.1;
    int64_t patience = 10;    ///< evaluations without improvement that are tolerated
    double threshold = 1e-4;  ///< the minimum improvement
    bool isRelative = true;   ///< the threshold is a share of the best loss
    int64_t cooldown = 0;     ///< evaluations after a fall that do not count
    double minimum = 0;       ///< the rate does not fall below it
};

/// Lowers the rate if the evaluation loss does not improve.
/// Source: PyTorch's ReduceLROnPlateau, mode "min".
class PlateauSchedule final : public LrSchedule {
public:
    PlateauSchedule(PlateauRule rule, double initialRate, int64_t warmupSteps)
        : rule_(rule), rate_(initialRate), warmupSteps_(warmupSteps) {}

    double rateAt(int64_t stepsDone) const override;
    bool needsEvaluations() const override { return true; }
    void noteEvaluation(double loss) override;
    std::string state() const override;
    void restore(const std::string& state) override;

private:
    bool isBetter(double loss) const;
    void lower();

    PlateauRule rule_;
    double rate_;
    int64_t warmupSteps_;
    double best_ = std::numeric_limits<double>::infinity();
    int64_t bad_ = 0;      ///< evaluations without improvement
    int64_t resting_ = 0;  ///< remaining evaluations of the cooldown
};

}  // namespace temper
