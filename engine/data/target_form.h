// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace temper {

/// What a model takes as the target: class indices, numbers, or what the data seems to hold.
struct TargetForm {
    enum class Kind { Any, Classes, Numbers };
    Kind kind = Kind::Any;
    int64_t classes = 0;  ///< that it tells apart; 0 where that is not known

    bool operator==(const TargetForm&) const = default;
};

}  // namespace temper
