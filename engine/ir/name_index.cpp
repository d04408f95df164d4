// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/name_index.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "engine/ir/graph.h"

namespace temper {
namespace {

constexpr size_t kMinSlots = 16;

uint64_t hashOf(std::string_view name) { return std::hash<std::string_view>()(name); }

/// At most two thirds of the slots are taken.
size_t slotsFor(size_t count) { return std::max(std::bit_ceil(count + count / 2 + 1), kMinSlots); }

}  // namespace

Value* NameIndex::find(std::string_view name) const {
    if (slots_.empty()) return nullptr;
    return slots_[slotOf(name, hashOf(name))].value;
}

bool NameIndex::insert(Value* value) {
    reserve(count_ + 1);
    const uint64_t hash = hashOf(value->name());
    Slot& slot = slots_[slotOf(value->name(), hash)];
    if (slot.value != nullptr) return false;
    slot = {value, hash};
    ++count_;
    return true;
}

/// Entries after a freed slot move up if that is nearer to the slot of their hash.
void NameIndex::erase(const Value* value) {
    size_t free = slotOf(value->name(), hashOf(value->name()));
    const size_t mask = slots_.size() - 1;
    for (size_t slot = next(free); slots_[slot].value != nullptr; slot = next(slot)) {
        const size_t wanted = slots_[slot].hash & mask;
        if (((slot - wanted) & mask) < ((slot - free) & mask)) continue;
        slots_[free] = slots_[slot];
        free = slot;
    }
    slots_[free] = {};
    --count_;
}

void NameIndex::reserve(size_t count) {
    const size_t needed = slotsFor(count);
    if (needed > slots_.size()) rehash(needed);
}

size_t NameIndex::slotOf(std::string_view name, uint64_t hash) const {
    size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot].value != nullptr &&
           (slots_[slot].hash != hash || slots_[slot].value->name() != name)) {
        slot = next(slot);
    }
    return slot;
}

void NameIndex::rehash(size_t slots) {
    for (const Slot& old : std::exchange(slots_, std::vector<Slot>(slots))) {
        if (old.value == nullptr) continue;
        size_t slot = old.hash & (slots - 1);
        while (slots_[slot].value != nullptr) slot = next(slot);
        slots_[slot] = old;
    }
}

}  // namespace temper
