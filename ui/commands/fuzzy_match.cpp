// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/fuzzy_match.h"

#include <QStringList>
#include <algorithm>

namespace temper::ui {
namespace {

constexpr int kWordStart = 8;
constexpr int kNeighbour = 10;

bool startsWord(const QString& text, qsizetype place) {
    return place == 0 || !text[place - 1].isLetterOrNumber();
}

/// The score if matching continues greedily from `from`.
std::optional<int> scoreFrom(const QString& pattern, const QString& text, qsizetype from) {
    int score = 0;
    qsizetype previous = -2;
    for (const QChar wanted : pattern) {
        if (wanted.isSpace()) continue;
        const qsizetype place = text.indexOf(wanted, from, Qt::CaseInsensitive);
        if (place < 0) return std::nullopt;
        score += 1;
        if (startsWord(text, place)) score += kWordStart;
        if (place == previous + 1) score += kNeighbour;
        previous = place;
        from = place + 1;
    }
    return score;
}

/// The best score over all places where the pattern may begin.
std::optional<int> bestScore(const QString& pattern, const QString& text) {
    std::optional<int> best;
    for (qsizetype start = text.indexOf(pattern[0], 0, Qt::CaseInsensitive); start >= 0;
         start = text.indexOf(pattern[0], start + 1, Qt::CaseInsensitive))
        best = std::max(best, scoreFrom(pattern, text, start));
    return best;
}

/// Matches each word separately: users do not know the word order of a title.
std::optional<int> wordsScore(const QStringList& words, const QString& text) {
    int sum = 0;
    for (const QString& word : words) {
        const std::optional<int> score = bestScore(word, text);
        if (!score) return std::nullopt;
        sum += *score;
    }
    return sum;
}

}  // namespace

std::optional<int> fuzzyMatch(const QString& pattern, const QString& text) {
    const QStringList words = pattern.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words.isEmpty()) return 0;
    std::optional<int> best =
        std::max(bestScore(words.join(QLatin1Char(' ')), text), wordsScore(words, text));
    if (best) *best -= static_cast<int>(text.size()) / 16;
    return best;
}

}  // namespace temper::ui
