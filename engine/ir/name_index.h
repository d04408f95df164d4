// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace temper {

class Value;

/// The values of a graph by name: an open-addressing hash table that stores a part of each name's
/// hash beside the value, so that a search reads only the values that it looks for.
class NameIndex {
public:
    /// Null if there is none.
    Value* find(std::string_view name) const;
    bool contains(std::string_view name) const { return find(name) != nullptr; }
    /// Returns: false if the name is taken.
    bool insert(Value* value);
    /// Of a value in the table, under its current name.
    void erase(const Value* value);
    /// Reserves room for this many values.
    void reserve(size_t count);
    size_t size() const { return count_; }

private:
    struct Slot {
        Value* value = nullptr;
        uint64_t hash = 0;
    };

    /// The slot of the value with this name or, if there is none, a free one.
    size_t slotOf(std::string_view name, uint64_t hash) const;
    size_t next(size_t slot) const { return (slot + 1) & (slots_.size() - 1); }
    void rehash(size_t slots);

    std::vector<Slot> slots_;  ///< a power of two, or none
    size_t count_ = 0;
};

}  // namespace temper
