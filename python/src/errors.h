// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/core/error.h"
#include "python/src/bindings.h"

namespace temper::python {

/// Throws: temper.ArgumentTypeError, a TypeError.
[[noreturn]] void throwTypeError(const std::string& message, const std::string& hint = {});

/// Throws: temper.ArtifactsError, which has all of the findings.
[[noreturn]] void throwFindings(const std::vector<Finding>& findings);

}  // namespace temper::python
