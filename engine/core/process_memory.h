// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace temper {

/// Bytes of main memory that this process holds; 0 where the system does not say.
size_t residentBytes();

/// Bytes of main memory that this process may fill: those of the machine, of its control group and
/// what `ulimit` grants (-v, -d, -m), whichever is the least.
size_t memoryLimit();

/// What is decided by numbers in a file is measured before time or memory is spent on it.
/// Throws: Error(InvalidInput) if `bytes` exceed memoryLimit(): "<what> takes N bytes; ...".
void requireMemory(const std::string& what, double bytes);

}  // namespace temper
