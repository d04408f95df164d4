// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

/// Nodes that together are one operation, which an exporter decomposed.
struct Block {
    std::string kind;                ///< "LayerNorm", "GELU", "Attention", ...
    std::string name;                ///< the common part of its nodes' names, or its output's name
    std::vector<const Node*> nodes;  ///< in the order of the graph
    std::vector<const Value*> inputs;  ///< computed elsewhere; no initializers
    const Value* output = nullptr;
    std::vector<const Value*> parameters;  ///< its weights

    /// "the GELU '/encoder/act'", for messages.
    std::string describe() const;
};

/// Finds decomposed operations; no node belongs to two of them. The list of patterns is in
/// block_table.cpp. The graph is not changed.
std::vector<Block> recognizeBlocks(const Graph& graph, const OpCatalog& catalog);

/// The block that a node belongs to, by node. `blocks` has to outlive the result.
std::unordered_map<const Node*, const Block*> blocksByNode(const std::vector<Block>& blocks);

/// Number of blocks by kind.
std::map<std::string, int64_t> countBlocks(const std::vector<Block>& blocks);

}  // namespace temper
