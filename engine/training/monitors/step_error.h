// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "engine/core/error.h"

namespace temper {

/// A step produced numbers with which a run can't continue.
class StepError : public Error {
public:
    /// `code`: explained in the window, "R001". `node`: the node to look at, or empty.
    StepError(std::string code, const std::string& message, std::string hint, std::string node)
        : Error(ErrorCode::Numeric, message, std::move(hint)),
          messageCode_(std::move(code)),
          node_(std::move(node)) {}

    const std::string& messageCode() const { return messageCode_; }
    const std::string& node() const { return node_; }

private:
    std::string messageCode_;
    std::string node_;
};

}  // namespace temper
