// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

/// Role of item models: the id of the term that a cell is about.
inline constexpr int kExplainRole = 0x0100 + 77;  // above Qt::UserRole

/// Sets the term (an id of terms()) that explains a widget and the widgets in it that have no own
/// term. Returns: the widget.
template <typename W>
W* explain(W* widget, const QString& term) {
    widget->setProperty("explain", term);
    return widget;
}

/// The term of a widget: that of its current cell or tab, its own, or that of its closest ancestor
/// with a term. Empty if there is none.
QString explainedTerm(const QWidget* widget);

}  // namespace temper::ui
