// SPDX-License-Identifier: Apache-2.0
#include "engine/core/closest_word.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace temper {
namespace {

/// Source: Levenshtein (1966).
size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string closestWord(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    size_t least = 1 + word.size() / 3;  // more changes make another word of it
    for (const std::string& candidate : known) {
        const size_t distance = editDistance(word, candidate);
        if (distance > least || (distance == least && !best.empty())) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

bool isAlmost(const std::string& word, const std::string& known) {
    if (word == known) return false;
    if (editDistance(word, known) == 1) return true;
    if (word.size() != known.size()) return false;
    const auto [first, second] = std::ranges::mismatch(word, known);
    if (word.end() - first < 2) return false;
    std::string swapped = word;
    const auto at = static_cast<size_t>(first - word.begin());
    std::swap(swapped[at], swapped[at + 1]);
    return swapped == known;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
    const std::string closest = closestWord(word, known);
    return closest.empty() ? "" : "Did you mean '" + closest + "'? ";
}

}  // namespace temper
