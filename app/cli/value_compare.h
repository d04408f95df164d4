// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/core/counted.h"
#include "engine/core/value_data.h"

namespace temper::cli {

/// "a tensor", "a sequence of 2 tensors", "nothing".
inline std::string kindOf(const ValueData& data) {
    if (data.isSequence) return "a sequence of " + counted(data.tensors.size(), "tensor");
    return data.isNothing() ? "nothing" : "a tensor";
}

/// Why the data of a value differs from what is expected; empty if it does not. `differ` says it of
/// two tensors.
template <typename F>
std::string differenceOf(const ValueData& found, const ValueData& expected, F differ) {
    if (kindOf(found) != kindOf(expected))
        return "found " + kindOf(found) + ", expected " + kindOf(expected);
    for (size_t i = 0; i < found.tensors.size(); ++i) {
        const std::string why = differ(found.tensors[i], expected.tensors[i]);
        if (!why.empty())
            return found.isSequence ? "tensor " + std::to_string(i) + ": " + why : why;
    }
    return {};
}

}  // namespace temper::cli
