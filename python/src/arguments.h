// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "python/src/bindings.h"

namespace temper::python {

/// The inputs that a caller gives in order, by name, or as one mapping of names, in the order of
/// `names`: the arguments of a function `f(*arrays, **named)`.
/// Throws: Error(InvalidInput) naming what is missing or surplus.
std::vector<nb::object> arranged(const nb::list& names, nb::tuple arrays, nb::dict named);

}  // namespace temper::python
