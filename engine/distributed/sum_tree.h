// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace temper {

/// A range of the parts of a sum.
struct PartRange {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t count() const { return end - begin; }
    auto operator<=>(const PartRange&) const = default;
};

/// The order in which the parts of a sum are added. It depends on the number of parts only, so the
/// sum has the same bits on any number of ranks.
///
/// The order is a binary tree: a range of n parts is the sum of its first m, m being the largest
/// power of two below n, and the rest. A rank computes a run of parts, and adds those that form
/// whole subtrees by itself; what is left are its nodes, at most two for each level of the tree.
class SumTree {
public:
    SumTree(int64_t parts, int ranks) : parts_(parts), ranks_(ranks) {}

    int64_t parts() const { return parts_; }
    int ranks() const { return ranks_; }
    /// The parts that the rank computes; none, if the ranks outnumber them.
    PartRange partsOf(int rank) const;
    /// The largest subtrees within partsOf(rank), in order.
    std::vector<PartRange> nodesOf(int rank) const;

    /// Whether the two are the halves of a subtree.
    bool areSiblings(PartRange left, PartRange right) const;

    /// Adds numbers of `nodes`, which are those of all ranks in order: `numbers[i]` are `count`
    /// numbers of node i, and are overwritten. Returns: where the sum is, one of `numbers`.
    float* fold(std::span<const PartRange> nodes, std::span<float* const> numbers,
                int64_t count) const;

private:
    int64_t parts_;
    int ranks_;
};

/// to[i] += from[i]
void addNumbers(float* to, const float* from, int64_t count);

}  // namespace temper
