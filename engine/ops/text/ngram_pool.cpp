// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/text/ngram_pool.h"

#include <algorithm>
#include <string>

#include "engine/core/counted.h"
#include "engine/core/error.h"

namespace temper {
namespace {

using Integers = std::vector<int64_t>;

[[noreturn]] void fail(const Node& node, const std::string& problem) {
    throw Error(ErrorCode::InvalidInput, problem + " at " + node.describe() + ".",
                "The model is damaged or was edited by hand: export it again.");
}

/// Where the n-grams of each length begin in the pool, and its end.
Integers boundsOf(const Node& node, size_t poolSize) {
    auto bounds = node.attribute<Integers>("ngram_counts", {});
    bounds.push_back(static_cast<int64_t>(poolSize));
    const bool isOrdered = bounds.front() >= 0 && std::is_sorted(bounds.begin(), bounds.end());
    if (!isOrdered) {
        fail(node, "Attribute 'ngram_counts' is not an ascending list of positions in a pool of " +
                       counted(poolSize, "number"));
    }
    return bounds;
}

}  // namespace

NgramPool::NgramPool(const Node& node)
    : indexes_(node.attribute<Integers>("ngram_indexes", {})), places_(1) {
    if (node.hasAttribute("pool_strings")) {
        throw Error(ErrorCode::Unsupported,
                    "The n-grams of " + node.describe() + " are made of strings.",
                    "Convert words to integers before the model, and use 'pool_int64s'.");
    }
    checkColumns(node);
    const auto pool = node.attribute<Integers>("pool_int64s", {});
    const Integers bounds = boundsOf(node, pool.size());
    size_t ngram = 0;
    for (size_t length = 1; length < bounds.size(); ++length) {
        const auto end = static_cast<size_t>(bounds[length]);
        for (auto at = static_cast<size_t>(bounds[length - 1]); at < end; at += length) {
            if (end - at < length) {
                fail(node, "The last n-gram of " + counted(length, "word") + " is incomplete");
            }
            add(node, std::span(pool).subspan(at, length), ngram++);
        }
    }
    if (ngram != indexes_.size()) {
        fail(node, "Attribute 'ngram_indexes' has " + counted(indexes_.size(), "column") + " for " +
                       std::to_string(ngram) + " n-grams");
    }
}

/// More columns than any row could have.
constexpr int64_t kLastColumn = int64_t{1} << 40;

void NgramPool::checkColumns(const Node& node) {
    for (const int64_t column : indexes_) {
        if (column < 0) fail(node, "Attribute 'ngram_indexes' has a negative column");
        if (column > kLastColumn) {
            fail(node, "Attribute 'ngram_indexes' has the column " + std::to_string(column));
        }
        columns_ = std::max(columns_, column + 1);
    }
}

void NgramPool::add(const Node& node, std::span<const int64_t> words, size_t ngram) {
    size_t place = kRoot;
    for (const int64_t word : words) place = nextOrNew(place, word);
    if (places_[place].ngram != kNone) fail(node, "An n-gram occurs twice in the pool");
    places_[place].ngram = ngram;
}

size_t NgramPool::nextOrNew(size_t place, int64_t word) {
    auto& next = places_[place].next;
    const auto at = std::lower_bound(next.begin(), next.end(), std::pair(word, size_t{0}));
    if (at != next.end() && at->first == word) return at->second;
    next.insert(at, {word, places_.size()});
    places_.emplace_back();
    return places_.size() - 1;
}

size_t NgramPool::next(size_t place, int64_t word) const {
    const auto& next = places_[place].next;
    const auto at = std::lower_bound(next.begin(), next.end(), std::pair(word, size_t{0}));
    return at != next.end() && at->first == word ? at->second : kNone;
}

}  // namespace temper
