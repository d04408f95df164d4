// SPDX-License-Identifier: Apache-2.0
#include "engine/training/session/moment_check.h"

namespace temper {

void requireMomentFits(const Parameter& parameter, const std::string& name, const Tensor& moment) {
    const Tensor& data = parameter.data;
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorCode::InvalidInput,
                    "Optimizer state '" + name + "' of parameter '" + parameter.name + "' " + why,
                    "Load the checkpoint without its optimizer state.");
    };
    if (moment.shape() != data.shape()) {
        refuse("has the shape " + formatShape(moment.shape()) + "; expected " +
               formatShape(data.shape()) + ".");
    }
    if (!isFloating(moment.dtype())) {
        refuse("is " + std::string(dtypeName(moment.dtype())) + "; expected " +
               std::string(dtypeName(data.dtype())) + ".");
    }
}

}  // namespace temper
