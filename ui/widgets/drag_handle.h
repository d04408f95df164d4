// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace temper::ui {

/// A picture that starts a drag with the mouse.
class DragHandle : public QLabel {
    Q_OBJECT
public:
    explicit DragHandle(QWidget* parent = nullptr);

signals:
    void dragStarted();

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void draw();

    QPoint pressed_;
};

}  // namespace temper::ui
