// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace temper::cli {

/// The command line: what main() is called with. Returns: the exit status.
int runProgram(int argc, char** argv);

}  // namespace temper::cli
