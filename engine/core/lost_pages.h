// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace temper {

/// Another program may cut off a file that is mapped here ("cp" and Python's open(..., "wb") do);
/// reading what is gone would end the program with SIGBUS. While a mapping is guarded, what is gone
/// reads as zeros, and requireNoLostPages() tells.
/// A program has room for 4,096 guarded mappings; further ones are not guarded. Installs a handler
/// of SIGBUS, which passes all other faults on to the one before.
class PageGuard {
public:
    PageGuard(const void* begin, size_t size, const std::filesystem::path& file);
    ~PageGuard();
    PageGuard(const PageGuard&) = delete;
    PageGuard& operator=(const PageGuard&) = delete;

private:
    int slot_;  ///< -1: not guarded
};

/// Call it before results are given out or written. Throws: Error(Io) naming the file where a page
/// of a guarded mapping was gone when it was read. The mapping has to be closed to mend that.
/// Costs one atomic load where all is well.
void requireNoLostPages();

}  // namespace temper
