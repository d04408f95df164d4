// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace temper::ui {

class CommandRegistry;
class ShortcutModel;

/// Shows, searches and changes the keyboard shortcuts. A change applies at once.
class ShortcutDialog : public QDialog {
    Q_OBJECT
public:
    explicit ShortcutDialog(CommandRegistry& registry, QWidget* parent = nullptr);

private:
    QWidget* buildEditor();
    QString selected() const;
    void showSelected();
    void assign();

    CommandRegistry& registry_;
    ShortcutModel* model_;
    QLineEdit* filter_;
    QTableView* table_;
    QLabel* caption_ = nullptr;
    QLabel* conflict_ = nullptr;
    QKeySequenceEdit* keys_ = nullptr;
    QPushButton* reset_ = nullptr;
};

}  // namespace temper::ui
