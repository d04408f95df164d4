// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace temper {

/// What a model takes as the target: class indices, numbers, or what the data seems to hold.
struct TargetForm {
    enum class Kind { Any, Classes, Numbers };
    Kind kind = Kind::Any;
    int64_t classes = 0;  ///< number of classes; 0 if unknown
    /// Names of the classes by index, if the model was trained with classes that have names.
    std::vector<std::string> names = {};

    bool operator==(const TargetForm&) const = default;
};

}  // namespace temper
