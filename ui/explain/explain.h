// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

/// Role of item models: the id of the term that a cell is about.
inline constexpr int kExplainRole = 0x0100 + 77;  // Qt::UserRole and some

/// Sets which term (an id of terms()) explains a widget, and what lies in it without a term of its
/// own. Returns: the widget.
template <typename W>
W* explain(W* widget, const QString& term) {
    widget->setProperty("explain", term);
    return widget;
}

/// The term of a widget: of its current cell or tab, its own, or of the next one around it that has
/// one. Empty where there is none.
QString explainedTerm(const QWidget* widget);

}  // namespace temper::ui
