// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace temper {

/// Allocates regions in a kernel's scratch memory, each aligned to 64 bytes.
class ScratchLayout {
public:
    /// Returns: the offset of `bytes` bytes.
    size_t add(size_t bytes) {
        const size_t offset = bytes_;
        bytes_ += (bytes + 63) / 64 * 64;
        return offset;
    }
    size_t bytes() const { return bytes_; }

private:
    size_t bytes_ = 0;
};

}  // namespace temper
