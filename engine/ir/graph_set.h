// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "engine/core/error.h"
#include "engine/ir/graph.h"

namespace temper {

/// A set of values or of nodes of one graph, found by their index. Iterates in the order of
/// insertion. Null is in no set. Builds with TEMPER_CHECK_GRAPHS refuse elements of two graphs.
template <typename Element>
class GraphSet {
public:
    GraphSet() = default;
    GraphSet(std::initializer_list<const Element*> elements)
        : GraphSet(elements.begin(), elements.end()) {}
    template <typename Iterator>
    GraphSet(Iterator begin, Iterator end) {
        for (; begin != end; ++begin) insert(*begin);
    }

    bool contains(const Element* element) const {
        return element != nullptr && element->index() < places_.size() && isAt(element);
    }
    /// Returns: whether it is new.
    bool insert(const Element* element) {
        if (element == nullptr) return false;
        const size_t index = element->index();
        if (index >= places_.size()) places_.resize(index + index / 2 + 1, 0);
        if (isAt(element)) return false;
        elements_.push_back(element);
        places_[index] = static_cast<uint32_t>(elements_.size());
        return true;
    }
    void merge(const GraphSet& other) {
        for (const Element* element : other) insert(element);
    }

    bool empty() const { return elements_.empty(); }
    size_t size() const { return elements_.size(); }
    auto begin() const { return elements_.begin(); }
    auto end() const { return elements_.end(); }

private:
    bool isAt(const Element* element) const {
        const uint32_t place = places_[element->index()];
#ifdef TEMPER_CHECK_GRAPHS
        TEMPER_ASSERT(place == 0 || elements_[place - 1] == element, "a set is of one graph");
#endif
        return place != 0;
    }

    std::vector<uint32_t> places_;  ///< by index; position among the elements, from 1 on
    std::vector<const Element*> elements_;
};

using ValueSet = GraphSet<Value>;

}  // namespace temper
