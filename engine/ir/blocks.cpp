// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/blocks.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "engine/ir/block_pattern.h"
#include "engine/ir/block_table.h"

namespace temper {
namespace {

struct ParsedEntry {
    std::string kind;
    BlockPattern pattern;
};

/// The table's patterns by the operator of their last node.
std::map<std::string, std::vector<ParsedEntry>> patternsByRoot() {
    std::map<std::string, std::vector<ParsedEntry>> byRoot;
    for (const BlockEntry& entry : blockTable()) {
        const BlockPattern pattern = BlockPattern::parse(entry.pattern);
        for (const std::string& root : pattern.roots())
            byRoot[root].push_back({entry.kind, pattern});
    }
    return byRoot;
}

std::string withoutLastPart(const std::string& name) {
    const size_t slash = name.find_last_of("/.");
    return slash == std::string::npos || slash == 0 ? std::string() : name.substr(0, slash);
}

/// "/layers.0/norm1" for "/layers.0/norm1/Sub" and "/layers.0/norm1/Mul_1".
std::string commonName(const std::vector<const Node*>& nodes) {
    std::string name = withoutLastPart(nodes.front()->name());
    for (const Node* node : nodes) {
        while (!name.empty() && !node->name().starts_with(name + "/") &&
               !node->name().starts_with(name + ".")) {
            name = withoutLastPart(name);
        }
    }
    return name;
}

class Recognizer {
public:
    Recognizer(const Graph& graph, const OpCatalog& catalog)
        : catalog_(catalog), patterns_(patternsByRoot()) {
        const std::vector<Node*> order = graph.topologicalOrder();
        for (size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
        for (auto node = order.rbegin(); node != order.rend(); ++node) tryAt(**node);
        std::reverse(blocks_.begin(), blocks_.end());
    }

    std::vector<Block> take() { return std::move(blocks_); }

private:
    void tryAt(const Node& node) {
        const auto entries = patterns_.find(node.opType());
        if (entries == patterns_.end() || taken_.contains(&node)) return;
        const ParsedEntry* best = nullptr;
        BlockMatch chosen;
        for (const ParsedEntry& entry : entries->second) {
            for (BlockMatch& match : matchPattern(entry.pattern, node.output(0), catalog_)) {
                tidy(match);
                if (match.nodes.size() <= chosen.nodes.size() || !isFree(match)) continue;
                chosen = std::move(match);
                best = &entry;
            }
        }
        if (best != nullptr) add(best->kind, std::move(chosen), node);
    }

    /// Each node once, in the order of the graph.
    void tidy(BlockMatch& match) const {
        std::sort(match.nodes.begin(), match.nodes.end(), [this](const Node* a, const Node* b) {
            return position_.at(a) < position_.at(b);
        });
        match.nodes.erase(std::unique(match.nodes.begin(), match.nodes.end()), match.nodes.end());
    }

    bool isFree(const BlockMatch& match) const {
        return std::none_of(match.nodes.begin(), match.nodes.end(),
                            [this](const Node* node) { return taken_.contains(node); });
    }

    void add(const std::string& kind, BlockMatch match, const Node& last) {
        taken_.insert(match.nodes.begin(), match.nodes.end());
        Block block{kind, commonName(match.nodes), std::move(match.nodes),
                    {},   last.output(0),          std::move(match.weights)};
        TEMPER_ASSERT(block.output != nullptr, "a block is found by its output");
        if (block.name.empty()) block.name = block.output->name();
        block.inputs = inputsOf(block.nodes);
        blocks_.push_back(std::move(block));
    }

    static std::vector<const Value*> inputsOf(const std::vector<const Node*>& nodes) {
        std::vector<const Value*> inputs;
        for (const Node* node : nodes) {
            for (const Value* value : node->inputs()) {
                if (value == nullptr || value->isInitializer()) continue;
                const bool isInner =
                    std::find(nodes.begin(), nodes.end(), value->producer()) != nodes.end();
                const bool isKnown = std::find(inputs.begin(), inputs.end(), value) != inputs.end();
                if (!isInner && !isKnown) inputs.push_back(value);
            }
        }
        return inputs;
    }

    const OpCatalog& catalog_;
    const std::map<std::string, std::vector<ParsedEntry>> patterns_;
    std::unordered_map<const Node*, size_t> position_;
    std::unordered_set<const Node*> taken_;
    std::vector<Block> blocks_;
};

}  // namespace

std::string Block::describe() const { return "the " + kind + " '" + name + "'"; }

std::vector<Block> recognizeBlocks(const Graph& graph, const OpCatalog& catalog) {
    return Recognizer(graph, catalog).take();
}

std::unordered_map<const Node*, const Block*> blocksByNode(const std::vector<Block>& blocks) {
    std::unordered_map<const Node*, const Block*> result;
    for (const Block& block : blocks) {
        for (const Node* node : block.nodes) result[node] = &block;
    }
    return result;
}

std::map<std::string, int64_t> countBlocks(const std::vector<Block>& blocks) {
    std::map<std::string, int64_t> counts;
    for (const Block& block : blocks) ++counts[block.kind];
    return counts;
}

}  // namespace temper
