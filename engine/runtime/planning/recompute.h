// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/ir/op_catalog.h"

namespace temper {

/// What a plan of the whole graph knows about it.
struct RecomputationFacts {
    /// Bytes that a value takes in the arena; 0 if it is elsewhere (parameters, constants).
    std::function<size_t(const Value&)> bytes;
    /// Whether a node changes its inputs: the running statistics of a batch normalization.
    std::function<bool(const Node&)> changesInputs;
    /// KernelTraits::flops of a node.
    std::function<int64_t(const Node&)> flops;
};

/// Trades time for memory in a training graph: forward values that the backward pass reads are
/// recomputed right before it needs them, instead of being kept until then. Repeated nodes keep
/// their names, and so their random numbers: results are the same bits.
///
/// The forward pass is cut into segments. What one segment makes and another reads is kept; what
/// stays within a segment is recomputed from that. Source: Chen, Xu, Zhang, Guestrin, Training Deep
/// Nets with Sublinear Memory Cost (2016).
class Recomputation {
public:
    /// `graph` has to outlive it.
    Recomputation(const Graph& graph, RecomputationFacts facts);

    enum class Repeated {
        Cheap,  ///< values that take little longer to compute than to read; products are kept
        All,
    };

    /// Segments that keep about the same number of bytes for the backward pass, cut where little
    /// passes from one to the next. The last one is not repeated: its backward pass follows at
    /// once.
    std::unique_ptr<Graph> inSegments(size_t count, Repeated repeated) const;

    /// A segment for each block of these kinds (Block::kind).
    std::unique_ptr<Graph> ofBlocks(const std::vector<std::string>& kinds,
                                    const OpCatalog& catalog) const;

private:
    /// Nodes that are repeated, and their segment; later segments are repeated earlier.
    using Segments = std::unordered_map<const Node*, size_t>;

    bool isDear(const Node& node) const;
    void findCrossings();
    std::vector<size_t> cutsFor(size_t count) const;
    std::unique_ptr<Graph> repeat(const Segments& segments, Repeated repeated) const;

    const Graph& graph_;
    RecomputationFacts facts_;
    std::vector<const Node*> forward_;  ///< in the order in which they run
    std::vector<size_t> saved_;     ///< bytes kept for the backward pass up to and with this node
    std::vector<size_t> crossing_;  ///< bytes that later forward nodes read, after this node
};

}  // namespace temper
