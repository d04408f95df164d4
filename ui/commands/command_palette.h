// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QListWidget;

namespace temper::ui {

class CommandRegistry;

/// Finds a command by name: a few letters find one, Enter runs it, Escape closes.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(CommandRegistry& registry, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void runCurrent();

    CommandRegistry& registry_;
    QLineEdit* input_;
    QListWidget* list_;
    QLabel* nothing_;
};

}  // namespace temper::ui
