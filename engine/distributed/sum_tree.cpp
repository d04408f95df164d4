// SPDX-License-Identifier: Apache-2.0
#include "engine/distributed/sum_tree.h"

#include <algorithm>
#include <bit>

#include "engine/core/error.h"

namespace temper {
namespace {

/// Where a range of at least two parts is split.
int64_t middleOf(PartRange range) {
    const auto count = static_cast<uint64_t>(range.count());
    return range.begin + static_cast<int64_t>(std::bit_ceil(count) / 2);
}

/// Calls visit(range) for the largest subtrees of `range` within `within`.
template <typename F>
void visitWithin(PartRange range, PartRange within, F&& visit) {
    if (range.end <= within.begin || within.end <= range.begin) return;
    if (within.begin <= range.begin && range.end <= within.end) return visit(range);
    const int64_t middle = middleOf(range);
    visitWithin({range.begin, middle}, within, visit);
    visitWithin({middle, range.end}, within, visit);
}

}  // namespace

PartRange SumTree::partsOf(int rank) const {
    return {parts_ * rank / ranks_, parts_ * (rank + 1) / ranks_};
}

std::vector<PartRange> SumTree::nodesOf(int rank) const {
    std::vector<PartRange> nodes;
    visitWithin({0, parts_}, partsOf(rank), [&](PartRange node) { nodes.push_back(node); });
    return nodes;
}

bool SumTree::areSiblings(PartRange left, PartRange right) const {
    if (left.end != right.begin) return false;
    PartRange range{0, parts_};
    while (range.count() > 1) {
        const int64_t middle = middleOf(range);
        if (range.begin == left.begin && middle == left.end && range.end == right.end) return true;
        (left.begin < middle ? range.end : range.begin) = middle;
    }
    return false;
}

float* SumTree::fold(std::span<const PartRange> nodes, std::span<float* const> numbers,
                     int64_t count) const {
    std::vector<std::pair<PartRange, float*>> open;
    for (size_t i = 0; i < nodes.size(); ++i) {
        open.emplace_back(nodes[i], numbers[i]);
        while (open.size() > 1 && areSiblings(open[open.size() - 2].first, open.back().first)) {
            const auto [right, addend] = open.back();
            open.pop_back();
            addNumbers(open.back().second, addend, count);
            open.back().first.end = right.end;
        }
    }
    TEMPER_ASSERT(open.size() == 1 && open.front().first == (PartRange{0, parts_}),
                  "the nodes are those of all ranks");
    return open.front().second;
}

void addNumbers(float* to, const float* from, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] += from[i];
}

}  // namespace temper
