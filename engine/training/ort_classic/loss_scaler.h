// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper::classic {

/// How a dynamic loss scale moves. Source: spec/training_api.md section 10.3.
struct DynamicLossScale {
    float initial = 65536;         ///< 2^16
    int64_t upScaleWindow = 2000;  ///< finite steps in a row before the scale doubles
    float minimum = 1;
    float maximum = 16777216;  ///< 2^24

    bool operator==(const DynamicLossScale&) const = default;
};

/// The factor that keeps small gradients from vanishing in half precision: gradients are computed
/// of the scaled loss, and divided by the scale before the optimizer. A scale that is too large
/// overflows; the step is then left out, and a dynamic scale halves.
/// Source: Micikevicius et al., Mixed Precision Training (2018), section 3.2.
class LossScaler {
public:
    /// A scale that stays as it is. Throws: Error(InvalidInput) unless it is finite and positive.
    explicit LossScaler(float scale);
    /// Throws: Error(InvalidInput) where the limits or the window make no sense.
    explicit LossScaler(const DynamicLossScale& dynamic);

    float scale() const { return scale_; }
    /// Steps with finite gradients since the scale last changed.
    int64_t finiteSteps() const { return finiteSteps_; }

    /// To be told after each step whether all gradients were finite.
    void update(bool allFinite);
    /// Continues where another scaler was; a static scale stays as it is.
    void resume(float scale, int64_t finiteSteps);
    /// As in the beginning.
    void reset();

private:
    DynamicLossScale dynamic_;
    bool isDynamic_ = false;
    float scale_ = 1;
    int64_t finiteSteps_ = 0;
};

}  // namespace temper::classic
