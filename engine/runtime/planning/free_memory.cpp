// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/planning/free_memory.h"

#include <iterator>

namespace temper {

size_t FreeMemory::take(size_t bytes) {
    const auto fitting = bySize_.lower_bound({bytes, 0});
    if (fitting != bySize_.end()) {
        const auto [size, offset] = *fitting;
        remove(offset, size);
        if (size > bytes) add(offset + bytes, size - bytes);
        return offset;
    }
    size_t offset = end_;
    if (!gaps_.empty()) {
        const auto [last, size] = *gaps_.rbegin();
        if (last + size == end_) {
            offset = last;
            remove(last, size);
        }
    }
    end_ = offset + bytes;
    return offset;
}

void FreeMemory::give(size_t offset, size_t bytes) {
    const auto next = gaps_.lower_bound(offset);
    if (next != gaps_.begin()) {
        const auto [begin, size] = *std::prev(next);
        if (begin + size == offset) {
            remove(begin, size);
            offset = begin;
            bytes += size;
        }
    }
    const auto after = gaps_.find(offset + bytes);
    if (after != gaps_.end()) {
        const size_t size = after->second;
        remove(after->first, size);
        bytes += size;
    }
    add(offset, bytes);
}

void FreeMemory::add(size_t offset, size_t bytes) {
    gaps_.emplace(offset, bytes);
    bySize_.emplace(bytes, offset);
}

void FreeMemory::remove(size_t offset, size_t bytes) {
    gaps_.erase(offset);
    bySize_.erase({bytes, offset});
}

}  // namespace temper
