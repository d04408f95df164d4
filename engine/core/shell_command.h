// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper {

/// A command line from its arguments, quoted for a shell. It is one printable line whatever the
/// arguments hold, and does the same when it is pasted.
std::string shellCommand(const std::vector<std::string>& arguments);

}  // namespace temper
