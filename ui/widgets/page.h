// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QString>
#include <QWidget>

class QVBoxLayout;
class QHBoxLayout;
class QTableView;
class QAbstractItemModel;
class QPushButton;
class QTabWidget;

namespace temper::ui {

/// A label with a role in the stylesheet.
QLabel* makeLabel(const QString& text, const char* role, QWidget* parent);

/// A framed card with a vertical layout.
QFrame* makeCard(QWidget* parent);
/// The same for a frame that has no layout yet.
QVBoxLayout* makeCardLayout(QFrame* frame);
QVBoxLayout* cardLayout(QFrame* card);

/// Title and a line about the purpose of the page, above its content.
QHBoxLayout* makePageHeader(const QString& title, const QString& subtitle, QWidget* parent);

QPushButton* makePrimaryButton(const QString& text, const QString& icon, QWidget* parent);

/// A table that shows rows: no grid, whole rows selected, sorted by header if `sortable`.
QTableView* makeTable(QAbstractItemModel* model, QWidget* parent, bool sortable = false);

/// Tabs without a frame.
QTabWidget* makeTabs(QWidget* parent);

/// A page's layout with the usual margins.
QVBoxLayout* makePageLayout(QWidget* page);

}  // namespace temper::ui
