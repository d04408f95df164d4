// SPDX-License-Identifier: Apache-2.0
#include "engine/training/spec/session_options.h"

#include "engine/core/error.h"
#include "engine/core/joined.h"
#include "engine/runtime/device.h"

namespace temper {

const char* precisionName(Precision precision) {
    return precision == Precision::BFloat16 ? "bf16" : "fp32";
}

std::vector<std::string> precisionNames() {
    return {precisionName(Precision::Float32), precisionName(Precision::BFloat16)};
}

Precision parsePrecision(const std::string& name) {
    for (const Precision precision : {Precision::Float32, Precision::BFloat16}) {
        if (name == precisionName(precision)) return precision;
    }
    throw Error(ErrorCode::InvalidInput, "Precision '" + name + "' is unknown.",
                "Precisions of this build: " + joined(precisionNames()) + ".");
}

void requirePrecision(const SessionOptions& options) {
    if (options.precision == Precision::BFloat16 && !options.mayWidenBFloat16)
        requireBFloat16(options.device);
}

}  // namespace temper
