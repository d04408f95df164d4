// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tests/engine/fuzz/operator_models.h"

namespace temper::test {

/// Counts how often something was seen, by a text that names it.
using SeenPlaces = std::map<std::string, int>;

/// Calls f with a description and the bytes of the model for each of its integers replaced by each
/// of some extreme numbers: those of attributes, and those of constants of up to 16 integers, of
/// which the first four. Places of the same operator, attribute or input are changed in `most`
/// models at most.
void forExtremeIntegers(const OperatorModel& model, SeenPlaces& seen, int most,
                        const std::function<void(const std::string&, const std::string&)>& f);

}  // namespace temper::test
