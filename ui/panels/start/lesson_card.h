// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

class QLabel;

namespace temper::ui {

/// A lesson as a card that opens it.
class LessonCard : public QFrame {
    Q_OBJECT
public:
    LessonCard(const QString& name, const QString& title, const QString& summary,
               QWidget* parent = nullptr);

signals:
    void opened(const QString& name);

protected:
    void mouseReleaseEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QLayout* buildHead(const QString& title);
    void showIcon();

    QString name_;
    QLabel* icon_;
};

}  // namespace temper::ui
