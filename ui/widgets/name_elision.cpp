// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/name_elision.h"

#include <algorithm>

namespace temper::ui {
namespace {

/// In letters. Shorter scopes leave room for the rest.
constexpr qsizetype kLongScope = 8;

bool isSeparator(QChar letter) {
    return letter == QLatin1Char('/') || letter == QLatin1Char('.') || letter == QLatin1Char(':');
}

/// The length of the scopes that a text begins with, including their last separator. Numbers and
/// sentences have none.
qsizetype scopeLength(QStringView text) {
    if (text.isEmpty() ||
        (!text[0].isLetter() && text[0] != QLatin1Char('/') && text[0] != QLatin1Char('_')))
        return 0;
    const auto space = std::ranges::find_if(text, [](QChar letter) { return letter.isSpace(); });
    qsizetype length = space - text.begin();
    while (length > 0 && !isSeparator(text[length - 1])) --length;
    return length;
}

qsizetype sharedLength(QStringView a, QStringView b) {
    return std::ranges::mismatch(a, b).in1 - a.begin();
}

/// Names that are the same up to a space do not differ after their scopes.
bool haveSameScope(QStringView a, QStringView b) {
    const QStringView shared = a.left(sharedLength(a, b));
    return a != b && !shared.contains(QLatin1Char(' ')) && scopeLength(shared) >= kLongScope;
}

}  // namespace

Qt::TextElideMode elideModeOf(const QString& name) {
    return scopeLength(name) >= kLongScope ? Qt::ElideLeft : Qt::ElideMiddle;
}

Qt::TextElideMode elideModeOf(const QString& name, const QStringList& beside) {
    const bool isShared = std::ranges::any_of(
        beside, [&](const QString& other) { return haveSameScope(name, other); });
    return isShared ? Qt::ElideLeft : Qt::ElideMiddle;
}

QString elidedName(const QFontMetricsF& metrics, const QStringList& names, qsizetype place,
                   double width) {
    const QStringList beside{names.value(place - 1), names.value(place + 1)};
    return metrics.elidedText(names[place], elideModeOf(names[place], beside), width);
}

void ElidingDelegate::initStyleOption(QStyleOptionViewItem* option,
                                      const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    option->textElideMode = Qt::ElideMiddle;
    if (scopeLength(option->text) < kLongScope) return;
    const auto textOf = [&](int row) {
        return displayText(index.siblingAtRow(row).data(), option->locale);
    };
    option->textElideMode =
        elideModeOf(option->text, {textOf(index.row() - 1), textOf(index.row() + 1)});
}

}  // namespace temper::ui
