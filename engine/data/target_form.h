// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper {

/// What a model takes as the target: class indices, numbers, or what the data seems to hold.
struct TargetForm {
    enum class Kind { Any, Classes, Numbers };
    Kind kind = Kind::Any;
    int64_t classes = 0;  ///< number of classes; 0 if unknown

    bool operator==(const TargetForm&) const = default;
};

}  // namespace temper
