// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/core/thread_pool.h"
#include "engine/distributed/sum_tree.h"

namespace temper {

/// Adds up the parts of a sum that this rank computes, one after the other in the same memory, in
/// the order of a SumTree. What remains are this rank's nodes.
class PartialSums {
public:
    /// `part`: where each part is computed, `count` numbers.
    PartialSums(SumTree tree, int rank, float* part, int64_t count, ThreadPool& pool);

    /// Forgets the parts.
    void begin();
    /// All numbers of the next part have arrived. It counts `weight` times.
    void add(float weight);
    /// The same for numbers [begin, end) of the last part: they stay where they are. All of them
    /// have to be finished, in any order.
    void finish(int64_t begin, int64_t end, float weight);

    /// The nodes, as TreeSum takes them, with the numbers from `begin` on; valid if those are
    /// finished.
    std::vector<float*> nodesFrom(int64_t begin) const;

private:
    struct Node {
        PartRange range;
        std::vector<float> numbers;
    };

    void openLast();
    /// part = part * weight + the nodes that are its siblings
    void addSiblings(int64_t begin, int64_t end, float weight);

    SumTree tree_;
    PartRange parts_;
    float* part_;
    int64_t count_;
    ThreadPool& pool_;
    int64_t next_ = 0;
    std::vector<Node> nodes_;  ///< before the current part
    size_t siblings_ = 0;      ///< of these, the last ones that the current part is added to
    std::vector<std::vector<float>> spare_;
};

}  // namespace temper
