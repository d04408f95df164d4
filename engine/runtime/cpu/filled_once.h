// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/core/tensor.h"

namespace temper {

/// Memory of a kernel that its first run fills and the others read: constants in another layout.
/// Thread: any.
class FilledOnce {
public:
    /// `bytes` bytes, 64-byte aligned, which `fill(data)` has filled.
    template <typename F>
    std::byte* get(size_t bytes, F&& fill) const {
        std::call_once(once_, [&] {
            std::shared_ptr<std::byte> memory = allocateAligned(bytes);
            fill(memory.get());
            memory_ = std::move(memory);
        });
        return memory_.get();
    }

private:
    mutable std::once_flag once_;
    mutable std::shared_ptr<std::byte> memory_;
};

}  // namespace temper
