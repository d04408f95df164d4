// SPDX-License-Identifier: Apache-2.0
#include "app/cli/program.h"

/// The command line in a Python module, which python/launcher starts.
extern "C" [[gnu::visibility("default")]] int temperMain(int argc, char** argv) {
    return temper::cli::runProgram(argc, argv);
}
