// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QToolButton;

namespace temper::ui {

/// A heading that opens and closes its content, by mouse and by keyboard. Initially closed.
class Fold : public QWidget {
    Q_OBJECT
public:
    /// Takes ownership of `content`.
    Fold(const QString& title, QWidget* content, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setOpen(bool open);
    bool isOpen() const { return isOpen_; }
    /// Opens when its content becomes needed. For another document, a number of its own, it is open
    /// only if the content is needed.
    void openIfNeeded(bool isNeeded, int document);
    QToolButton* button() const { return button_; }

private:
    QToolButton* button_;
    QWidget* content_;
    bool isOpen_ = false;
    bool isNeeded_ = false;
    int document_ = 0;
};

}  // namespace temper::ui
