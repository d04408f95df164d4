// SPDX-License-Identifier: Apache-2.0
#include "engine/training/ort_classic/loss_scaler.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/core/counted.h"
#include "engine/core/error.h"

namespace temper::classic {
namespace {

void requireScale(float scale, const char* name) {
    if (std::isfinite(scale) && scale > 0) return;
    throw Error(
        ErrorCode::InvalidInput,
        std::string(name) + " is " + std::to_string(scale) + "; expected a finite number above 0.",
        "Powers of two cost no accuracy, e.g. 65536.");
}

}  // namespace

LossScaler::LossScaler(float scale) : scale_(scale) { requireScale(scale, "The loss scale"); }

LossScaler::LossScaler(const DynamicLossScale& dynamic)
    : dynamic_(dynamic), isDynamic_(true), scale_(dynamic.initial) {
    requireScale(dynamic.initial, "The initial loss scale");
    requireScale(dynamic.minimum, "The smallest loss scale");
    requireScale(dynamic.maximum, "The largest loss scale");
    if (dynamic.initial < dynamic.minimum || dynamic.initial > dynamic.maximum) {
        throw Error(ErrorCode::InvalidInput,
                    "The initial loss scale is " + std::to_string(dynamic.initial) +
                        "; expected one from " + std::to_string(dynamic.minimum) + " to " +
                        std::to_string(dynamic.maximum) + ".");
    }
    if (dynamic.upScaleWindow < 1) {
        throw Error(ErrorCode::InvalidInput, "The window of the loss scale is " +
                                                 counted(dynamic.upScaleWindow, "step") +
                                                 "; expected at least 1.");
    }
}

void LossScaler::update(bool allFinite) {
    if (!isDynamic_) return;
    if (!allFinite) {
        scale_ = std::max(dynamic_.minimum, scale_ / 2);
        finiteSteps_ = 0;
    } else if (++finiteSteps_ >= dynamic_.upScaleWindow) {
        scale_ = std::min(dynamic_.maximum, scale_ * 2);
        finiteSteps_ = 0;
    }
}

void LossScaler::resume(float scale, int64_t finiteSteps) {
    if (!isDynamic_) return;
    scale_ = std::clamp(scale, dynamic_.minimum, dynamic_.maximum);
    finiteSteps_ = std::clamp<int64_t>(finiteSteps, 0, dynamic_.upScaleWindow - 1);
}

void LossScaler::reset() {
    if (isDynamic_) resume(dynamic_.initial, 0);
}

}  // namespace temper::classic
