// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.h"

namespace temper {

/// A plan can't be compiled before the data of some values is known: a shape depends on it.
/// GraphRunner computes these values first and compiles again; elsewhere it is Error(Unsupported).
class UnknownData : public Error {
public:
    UnknownData(std::vector<std::string> values, const std::string& message)
        : Error(ErrorCode::Unsupported, message, "Export the model with a constant here."),
          values_(std::move(values)) {}

    /// Names of the values that have to be known.
    const std::vector<std::string>& values() const { return values_; }

private:
    std::vector<std::string> values_;
};

}  // namespace temper
