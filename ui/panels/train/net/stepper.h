// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QWidget>

class QLabel;
class QToolButton;

namespace temper::ui {

/// A text between a button for less and one for more.
class Stepper : public QWidget {
    Q_OBJECT
public:
    /// What the buttons do, for tool tips and screen readers.
    Stepper(const QString& less, const QString& more, QWidget* parent = nullptr);

    void setText(const QString& text);
    void setEnabled(bool less, bool more);
    /// Shown by both buttons instead of what they do; empty: no obstacle.
    void setObstacle(const QString& why);

signals:
    /// -1 or 1.
    void stepped(int by);

private:
    QToolButton* makeButton(const QString& icon, const QString& what, int by);

    QString lessText_;
    QString moreText_;
    QToolButton* less_;
    QLabel* label_;
    QToolButton* more_;
};

}  // namespace temper::ui
