// SPDX-License-Identifier: Apache-2.0
#include "engine/training/parallel/partial_sums.h"

#include <algorithm>

#include "engine/core/error.h"

namespace temper {
namespace {

constexpr int64_t kGrain = 65536;

}  // namespace

PartialSums::PartialSums(SumTree tree, int rank, float* part, int64_t count, ThreadPool& pool)
    : tree_(tree), parts_(tree.partsOf(rank)), part_(part), count_(count), pool_(pool) {
    begin();
}

void PartialSums::begin() {
    for (Node& node : nodes_) spare_.push_back(std::move(node.numbers));
    nodes_.clear();
    next_ = parts_.begin;
    openLast();
}

/// Finds the nodes that the next part completes.
void PartialSums::openLast() {
    PartRange range{next_, next_ + 1};
    siblings_ = 0;
    while (siblings_ < nodes_.size()) {
        const PartRange left = nodes_[nodes_.size() - 1 - siblings_].range;
        if (!tree_.areSiblings(left, range)) break;
        range.begin = left.begin;
        ++siblings_;
    }
}

void PartialSums::addSiblings(int64_t begin, int64_t end, float weight) {
    pool_.forRanges(end - begin, kGrain, [&](int64_t from, int64_t to) {
        float* numbers = part_ + begin;
        for (int64_t i = from; i < to; ++i) numbers[i] *= weight;
        for (size_t sibling = 0; sibling < siblings_; ++sibling) {
            const Node& node = nodes_[nodes_.size() - 1 - sibling];
            addNumbers(numbers + from, node.numbers.data() + begin + from, to - from);
        }
    });
}

void PartialSums::add(float weight) {
    TEMPER_ASSERT(next_ + 1 < parts_.end, "the last part is finished in place");
    addSiblings(0, count_, weight);
    PartRange range{next_, next_ + 1};
    for (; siblings_ > 0; --siblings_) {
        range.begin = nodes_.back().range.begin;
        spare_.push_back(std::move(nodes_.back().numbers));
        nodes_.pop_back();
    }
    std::vector<float> numbers;
    if (!spare_.empty()) {
        numbers = std::move(spare_.back());
        spare_.pop_back();
    }
    numbers.assign(part_, part_ + count_);
    nodes_.push_back({range, std::move(numbers)});
    ++next_;
    openLast();
}

void PartialSums::finish(int64_t begin, int64_t end, float weight) {
    TEMPER_ASSERT(next_ + 1 == parts_.end, "only the last part is finished in place");
    addSiblings(begin, end, weight);
}

std::vector<float*> PartialSums::nodesFrom(int64_t begin) const {
    std::vector<float*> nodes;
    if (parts_.count() == 0) return nodes;
    for (size_t i = 0; i + siblings_ < nodes_.size(); ++i)
        nodes.push_back(const_cast<float*>(nodes_[i].numbers.data()) + begin);
    nodes.push_back(part_ + begin);
    return nodes;
}

}  // namespace temper
