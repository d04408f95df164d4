// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

class QWidget;

namespace temper::ui {

/// A text that a person sees or hears, and its location.
struct ShownText {
    QString text;
    QString place;  ///< class, name and role, for messages
};

/// Texts of the visible widgets below `root`, itself included: labels, buttons, tabs, entries of
/// combo boxes, placeholders, tool tips, accessible names, headers and cells of tables, actions.
std::vector<ShownText> shownTexts(const QWidget& root);

/// "QPushButton startButton".
QString nameForMessages(const QWidget& widget);

/// Visible widgets that a person uses, without Qt's own parts.
std::vector<QWidget*> interactiveWidgets(const QWidget& root);

}  // namespace temper::ui
