// SPDX-License-Identifier: Apache-2.0
#include "engine/core/closest_word.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace temper {
namespace {

/// Letters that are changed, missing or extra, and neighbours that are swapped.
/// Source: Damerau (1964); the restricted distance, by Levenshtein's table of three rows.
size_t editDistance(const std::string& a, const std::string& b) {
    std::vector<size_t> row(b.size() + 1), above(b.size() + 1), twoAbove(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        std::swap(twoAbove, above);
        std::swap(above, row);
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
            const bool isSwapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (isSwapped) row[j] = std::min(row[j], twoAbove[j - 2] + 1);
        }
    }
    return row.back();
}

/// "lr" of "learning-rate".
std::string initials(const std::string& word) {
    std::string letters;
    for (size_t i = 0; i < word.size(); ++i)
        if (i == 0 || word[i - 1] == '-' || word[i - 1] == '_') letters += word[i];
    return letters;
}

/// Whether letters of `whole`, the first one among them, spell `word` in order: "ckpt" for
/// "checkpoint".
bool abbreviates(const std::string& word, const std::string& whole) {
    if (word.size() < 2 || whole.empty() || word.front() != whole.front()) return false;
    auto letter = word.begin();
    for (const char each : whole)
        if (letter != word.end() && *letter == each) ++letter;
    return letter == word.end();
}

/// The shortest known word of which `word` is an abbreviation, or the other way round.
std::string abbreviationOf(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    for (const std::string& candidate : known) {
        const bool isShort = candidate.size() > 1 && candidate == initials(word);
        if (!isShort && !abbreviates(word, candidate)) continue;
        if (best.empty() || candidate.size() < best.size()) best = candidate;
    }
    return best;
}

}  // namespace

std::string closestWord(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    size_t least = 1 + word.size() / 3;  // more changes make it another word
    for (const std::string& candidate : known) {
        const size_t distance = editDistance(word, candidate);
        if (distance > least || (distance == least && !best.empty())) continue;
        least = distance;
        best = candidate;
    }
    return best.empty() ? abbreviationOf(word, known) : best;
}

bool isAlmost(const std::string& word, const std::string& known) {
    return editDistance(word, known) == 1;
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
    const std::string closest = closestWord(word, known);
    return closest.empty() ? "" : "Did you mean '" + closest + "'? ";
}

}  // namespace temper
