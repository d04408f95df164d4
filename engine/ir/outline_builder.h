// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/graph_outline.h"

namespace temper {

/// Makes the groups of a GraphOutline, in the order of the methods that run() calls.
class OutlineBuilder {
public:
    using Indices = std::vector<int>;  ///< in topological order, by Node::index()

    OutlineBuilder(const std::vector<Node*>& nodes, const Indices& indices,
                   const std::vector<Block>& blocks)
        : nodes_(nodes), indices_(indices), blocks_(blocks) {}

    std::vector<OutlineGroup> run();

private:
    OutlineGroup& group(int index) { return groups_[static_cast<size_t>(index)]; }
    int addGroup(OutlineKind kind, std::string name, int parent);

    void addScopes();
    void addBlocks();
    void addBlock(const Block& block);
    /// Replaces groups with one member by that member.
    void dissolveSmall(int index);
    void dissolveRoot();
    void foldRepeats(int index);
    /// Replaces items[first, first + count) of a group by a new group that holds them.
    int wrap(int index, size_t first, size_t count, OutlineKind kind);
    void cutSections(int index);
    std::vector<size_t> sectionBorders(int index, size_t sections);
    void measure(int index);
    void compareStructures();
    std::vector<OutlineGroup> renumbered() const;

    std::string nameOf(const OutlineItem& item) const;
    void collectNodes(const OutlineItem& item, std::vector<int>& into) const;
    uint64_t structureOf(const OutlineItem& item);
    uint64_t printOf(int node);

    const std::vector<Node*>& nodes_;
    const Indices& indices_;
    const std::vector<Block>& blocks_;
    std::vector<OutlineGroup> groups_;
    std::vector<int> homes_;            ///< by node: its group while blocks are added
    std::vector<uint64_t> nodePrints_;  ///< fingerprints, 0 if not computed yet
    std::unordered_map<int, uint64_t> groupPrints_;
};

/// A number that is equal for equal nodes: operator, attributes, weights' shapes.
uint64_t nodeFingerprint(const Node& node);

/// A number that is equal if these nodes (indices in topological order) are equal and wired alike;
/// of values from outside only the type counts.
/// `prints` are the nodes' fingerprints in the order of `members`.
uint64_t structureFingerprint(const std::vector<Node*>& nodes,
                              const OutlineBuilder::Indices& indices,
                              const std::vector<int>& members, const std::vector<uint64_t>& prints);

/// A repeated sequence of keys: from `first`, `count` times `period` keys.
struct TandemRepeat {
    size_t first = 0;
    size_t period = 0;
    size_t count = 0;
};

/// Repeats of at least three, from left to right, the longest at each place; they do not overlap.
std::vector<TandemRepeat> tandemRepeats(const std::vector<uint64_t>& keys);

}  // namespace temper
