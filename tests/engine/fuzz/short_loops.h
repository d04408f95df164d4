// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace temper::test {

/// The serialized model with every Loop, those in bodies included, running some hundred times at
/// most: one may run for minutes, and is no fault then. Models without a Loop stay as they are.
std::string withShortLoops(std::string model);

}  // namespace temper::test
