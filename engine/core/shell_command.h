// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace temper {

/// A command line from its arguments, quoted for bash and the like. It is one printable line
/// whatever the arguments contain, and does the same when pasted.
std::string shellCommand(const std::vector<std::string>& arguments);

/// The same for scripts: any shell and Python's shlex read it. It has as many lines as its
/// arguments.
std::string scriptCommand(const std::vector<std::string>& arguments);

}  // namespace temper
