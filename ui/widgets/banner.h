// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "ui/project/problem.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace temper::ui {

/// A message across the top of a page: icon, text, hint, an action, a close button. Hidden until
/// something is shown.
class Banner : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Good, Attention, Bad };

    explicit Banner(QWidget* parent = nullptr);

    void show(Kind kind, const Problem& message, const QString& action = {});
    Kind kind() const { return kind_; }
    /// Title, message and hint, as shown.
    QString text() const;

signals:
    void actionTriggered();

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyColors();

    Kind kind_ = Kind::Info;
    QLabel* icon_;
    QLabel* title_;
    QLabel* message_;
    QPushButton* action_;
    bool applying_ = false;
};

}  // namespace temper::ui
