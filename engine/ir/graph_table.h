// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/error.h"
#include "engine/core/steady_vector.h"
#include "engine/ir/graph.h"

namespace temper {

/// Entries for some of the values, or nodes, of one graph, found by their index. Entries do not
/// move when others are added. Builds with TEMPER_CHECK_GRAPHS refuse elements of two graphs.
template <typename Element, typename T>
class GraphTable {
public:
    /// Null if there is nothing.
    T* find(const Element* element) {
        const uint32_t place = placeOf(element);
        return place == 0 ? nullptr : &entries_[place - 1];
    }
    const T* find(const Element* element) const {
        const uint32_t place = placeOf(element);
        return place == 0 ? nullptr : &entries_[place - 1];
    }
    bool contains(const Element* element) const { return placeOf(element) != 0; }

    T& at(const Element* element) {
        T* found = find(element);
        TEMPER_ASSERT(found != nullptr, "the table has an entry");
        return *found;
    }
    const T& at(const Element* element) const {
        const T* found = find(element);
        TEMPER_ASSERT(found != nullptr, "the table has an entry");
        return *found;
    }
    /// A new entry if there is none.
    T& operator[](const Element* element) {
        TEMPER_ASSERT(element != nullptr, "the table is of values or nodes that are there");
        const size_t index = element->index();
        if (index >= places_.size()) places_.resize(index + index / 2 + 1, 0);
        if (places_[index] == 0) {
            entries_.emplaceBack();
            places_[index] = static_cast<uint32_t>(entries_.size());
#ifdef TEMPER_CHECK_GRAPHS
            elements_.push_back(element);
#endif
        }
        return entries_[placeOf(element) - 1];
    }

private:
    /// From 1 on; 0: none.
    uint32_t placeOf(const Element* element) const {
        if (element == nullptr || element->index() >= places_.size()) return 0;
        const uint32_t place = places_[element->index()];
#ifdef TEMPER_CHECK_GRAPHS
        TEMPER_ASSERT(place == 0 || elements_[place - 1] == element, "a table is of one graph");
#endif
        return place;
    }

    std::vector<uint32_t> places_;  ///< by index; position among the entries, from 1 on
    SteadyVector<T> entries_;
#ifdef TEMPER_CHECK_GRAPHS
    std::vector<const Element*> elements_;  ///< the element of each entry
#endif
};

template <typename T>
using ValueTable = GraphTable<Value, T>;
template <typename T>
using NodeTable = GraphTable<Node, T>;

}  // namespace temper
