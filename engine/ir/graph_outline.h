// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ir/blocks.h"
#include "engine/ir/graph.h"

namespace temper {

/// Why nodes are grouped in an outline.
enum class OutlineKind {
    Model,    ///< all of them
    Scope,    ///< a module of the exported program, see modulesAround()
    Block,    ///< together they are one operation that was decomposed
    Repeat,   ///< equal parts that follow each other
    Section,  ///< a piece of a level that is too long to view
};

/// A child of a group: another group, or a node if `group` is -1.
struct OutlineItem {
    int group = -1;
    int node = -1;
};

struct OutlineGroup {
    OutlineKind kind = OutlineKind::Scope;
    std::string name;  ///< "conv1"; for a block its kind, for a repeat "layer0 … layer11"
    std::string path;  ///< "layer1/conv1", unique among scopes
    std::string className =
        {};  ///< of a scope, if the exporter wrote it: "TransformerEncoderLayer"
    int parent = -1;
    std::vector<OutlineItem> items;  ///< in topological order of their first nodes
    int nodeCount = 0;               ///< in it and its subgroups
    int repeats = 1;                 ///< how many equal parts it consists of
    std::string block;               ///< of a scope that is one block: the block's kind
    /// Number of groups of this structure in the model: equal operators, attributes, wiring, and
    /// shapes of weights.
    int alike = 1;
    int structure = 0;  ///< equal for groups that are alike
};

/// The nodes of a graph as a tree: groups from the modules that exporters name, blocks, repeats,
/// and sections if a level would have hundreds of members. Group 0 is the model. The graph and its
/// nodes have to outlive it.
class GraphOutline {
public:
    explicit GraphOutline(const Graph& graph, const std::vector<Block>& blocks = {});

    /// In topological order; nodes are identified by their index here.
    const std::vector<Node*>& nodes() const { return nodes_; }
    const std::vector<OutlineGroup>& groups() const { return groups_; }
    const OutlineGroup& group(int index) const { return groups_[static_cast<size_t>(index)]; }
    /// The innermost group of a node.
    int groupOf(int node) const { return groupOf_[static_cast<size_t>(node)]; }
    /// -1 if it is not in this graph.
    int indexOf(const Node* node) const;
    /// The groups around a group or node, from the model inwards, including the group itself.
    std::vector<int> pathTo(int group) const;

private:
    std::vector<Node*> nodes_;
    std::vector<OutlineGroup> groups_;
    std::vector<int> groupOf_;
    std::vector<int> indices_;  ///< by Node::index()
};

}  // namespace temper
