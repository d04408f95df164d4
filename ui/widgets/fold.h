// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QToolButton;

namespace temper::ui {

/// A heading that opens and closes what is below it, by mouse and by keyboard. Closed at first.
class Fold : public QWidget {
    Q_OBJECT
public:
    /// Takes `content`.
    Fold(const QString& title, QWidget* content, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setOpen(bool open);
    bool isOpen() const { return isOpen_; }
    QToolButton* button() const { return button_; }

private:
    QToolButton* button_;
    QWidget* content_;
    bool isOpen_ = false;
};

}  // namespace temper::ui
