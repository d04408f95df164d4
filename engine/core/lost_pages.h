// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace temper {

/// Another program may truncate a file that is mapped here ("cp" and Python's open(..., "wb") do);
/// reading the lost part would end the program with SIGBUS. While a mapping is guarded, the lost
/// part reads as zeros, and requireNoLostPages() reports it.
/// A program has room for 4,096 guarded mappings; further ones are not guarded. Installs a handler
/// of SIGBUS, which passes all other faults on to the previous one.
class PageGuard {
public:
    PageGuard(const void* begin, size_t size, const std::filesystem::path& file);
    ~PageGuard();
    PageGuard(const PageGuard&) = delete;
    PageGuard& operator=(const PageGuard&) = delete;

private:
    int slot_;  ///< -1: not guarded
};

/// Call it before results are returned or written. Throws: Error(Io) naming the file if a page of a
/// guarded mapping was gone when it was read. Closing the mapping clears that.
/// Costs one atomic load if nothing was lost.
void requireNoLostPages();

}  // namespace temper
