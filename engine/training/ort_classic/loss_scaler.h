// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper::classic {

/// How a dynamic loss scale changes. Source: spec/training_api.md section 10.3.
struct DynamicLossScale {
    float initial = 65536;         ///< 2^16
    int64_t upScaleWindow = 2000;  ///< finite steps in a row before the scale doubles
    float minimum = 1;
    float maximum = 16777216;  ///< 2^24

    bool operator==(const DynamicLossScale&) const = default;
};

/// The factor that keeps small gradients from vanishing in half precision: gradients are computed
/// from the scaled loss, and divided by the scale before the optimizer. If the scale is too large,
/// it overflows; the step is then skipped, and a dynamic scale halves.
/// Source: Micikevicius et al., Mixed Precision Training (2018), section 3.2.
class LossScaler {
public:
    /// A static scale. Throws: Error(InvalidInput) unless it is finite and positive.
    explicit LossScaler(float scale);
    /// Throws: Error(InvalidInput) if the limits or the window make no sense.
    explicit LossScaler(const DynamicLossScale& dynamic);

    float scale() const { return scale_; }
    /// Steps with finite gradients since the scale last changed.
    int64_t finiteSteps() const { return finiteSteps_; }

    /// Call it after each step with whether all gradients were finite.
    void update(bool allFinite);
    /// Continues the state of another scaler; a static scale does not change.
    void resume(float scale, int64_t finiteSteps);
    /// Restores the initial state.
    void reset();

private:
    DynamicLossScale dynamic_;
    bool isDynamic_ = false;
    float scale_ = 1;
    int64_t finiteSteps_ = 0;
};

}  // namespace temper::classic
