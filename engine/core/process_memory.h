// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace temper {

/// Bytes of main memory that this process holds; 0 if the system does not say.
size_t residentBytes();

/// Bytes of main memory that this process may fill: the least of the machine's, its control group's
/// and the limits of `ulimit` (-v, -d, -m).
size_t memoryLimit();

/// Checks sizes that numbers in a file decide before time or memory is spent on them.
/// Throws: Error(InvalidInput) if `bytes` exceed memoryLimit(): "<what> takes N bytes; ...".
void requireMemory(const std::string& what, double bytes);

}  // namespace temper
