// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace temper {

/// Bytes of main memory that this process holds; 0 where the system does not say.
size_t residentBytes();

/// Bytes of main memory that this process may fill: those of the machine, of its control group and
/// of `ulimit -v`, whichever is the least.
size_t memoryLimit();

}  // namespace temper
