// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace temper::test {

/// The serialized model with every Loop, those in bodies included, limited to some hundred trips: a
/// Loop may run for minutes, which is not a fault. Models without a Loop stay as they are.
std::string withShortLoops(std::string model);

}  // namespace temper::test
