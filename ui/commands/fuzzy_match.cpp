// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/fuzzy_match.h"

namespace temper::ui {
namespace {

constexpr int kWordStart = 8;
constexpr int kNeighbour = 10;

bool startsWord(const QString& text, qsizetype place) {
    return place == 0 || !text[place - 1].isLetterOrNumber();
}

/// The score when matching goes on greedily from `from`.
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

}  // namespace

std::optional<int> fuzzyMatch(const QString& pattern, const QString& text) {
    const QString trimmed = pattern.trimmed();
    if (trimmed.isEmpty()) return 0;
    std::optional<int> best;
    for (qsizetype start = text.indexOf(trimmed[0], 0, Qt::CaseInsensitive); start >= 0;
         start = text.indexOf(trimmed[0], start + 1, Qt::CaseInsensitive)) {
        const std::optional<int> score = scoreFrom(trimmed, text, start);
        if (score && (!best || *score > *best)) best = score;
    }
    if (best) *best -= static_cast<int>(text.size()) / 16;
    return best;
}

}  // namespace temper::ui
