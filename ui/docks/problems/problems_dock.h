// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/docks/dock.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QStackedLayout;
class QTableView;

namespace temper::ui {

class ProblemModel;

/// Problems from all pages: code, node, text, and buttons that fix them. A click shows the text; a
/// double click or Enter goes to the node. The window title shows the count.
class ProblemsDock : public QWidget {
    Q_OBJECT
public:
    explicit ProblemsDock(const PanelContext& context, QWidget* parent = nullptr);

    ProblemModel* model() const { return model_; }

private:
    QWidget* buildDetails();
    void refresh();
    void showSelected();
    void showFixes(const std::vector<struct ProblemFix>& fixes);
    void goTo(int row);

    PanelContext context_;
    ProblemModel* model_;
    QTableView* table_;
    QWidget* list_;
    QWidget* empty_;
    QLabel* title_ = nullptr;
    QPushButton* explain_ = nullptr;
    QLabel* text_ = nullptr;
    QHBoxLayout* fixes_ = nullptr;
};

DockInfo problemsDock();

}  // namespace temper::ui
