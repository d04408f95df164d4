// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QWidget;

namespace temper::ui {

/// The visible texts of a window and those that do not fit.
struct TextFit {
    int asked = 0;
    QStringList cut;  ///< widget, text, room and need
};

/// Asks each visible text below `root` whether it fits: labels (wrapped ones also in height),
/// buttons, choices, tabs, titles of groups and docks, menus, headers of columns, prompts of
/// fields, numbers with their units. A text that ends with "…" fits if the tool tip has it in
/// full. What scrolling reaches is not cut; what a parent clips is.
TextFit fitOfTexts(const QWidget& root);

/// Only the texts that do not fit.
inline QStringList cutTexts(const QWidget& root) { return fitOfTexts(root).cut; }

}  // namespace temper::ui
