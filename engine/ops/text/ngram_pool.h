// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/ir/graph.h"

namespace temper {

/// The n-grams that a TfIdfVectorizer counts, as a tree of words: each path from the root is the
/// beginning of an n-gram. Constant once constructed.
class NgramPool {
public:
    static constexpr size_t kRoot = 0;
    static constexpr size_t kNone = SIZE_MAX;

    /// From the attributes pool_int64s, ngram_counts and ngram_indexes: the numbers from
    /// ngram_counts[n - 1] to ngram_counts[n] are the n-grams of n words, and ngram_indexes has a
    /// column of the output for each n-gram.
    /// Throws: Error(Unsupported) for words that are strings, Error(InvalidInput) if the attributes
    /// contradict each other.
    explicit NgramPool(const Node& node);

    int64_t columns() const { return columns_; }
    /// Number of n-grams.
    size_t size() const { return indexes_.size(); }
    int64_t column(size_t ngram) const { return indexes_[ngram]; }

    /// The place one word further; kNone if no n-gram continues like this.
    size_t next(size_t place, int64_t word) const;
    /// The n-gram that ends at a place; kNone if none does.
    size_t ngramAt(size_t place) const { return places_[place].ngram; }

private:
    struct Place {
        std::vector<std::pair<int64_t, size_t>> next;  ///< by word, in ascending order
        size_t ngram = kNone;
    };

    void checkColumns(const Node& node);
    void add(const Node& node, std::span<const int64_t> words, size_t ngram);
    size_t nextOrNew(size_t place, int64_t word);

    std::vector<int64_t> indexes_;
    int64_t columns_ = 0;
    std::vector<Place> places_;
};

}  // namespace temper
