// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace temper::ui {

/// The content of an empty view: an icon, one sentence, one button.
class Placeholder : public QWidget {
    Q_OBJECT
public:
    Placeholder(const QString& icon, const QString& sentence, const QString& button = {},
                QWidget* parent = nullptr);

    void setSentence(const QString& sentence);
    /// Shows the button only if it helps.
    void setButtonVisible(bool visible);

signals:
    void triggered();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void applyColors();

    QString iconName_;
    QLabel* icon_;
    QLabel* sentence_;
    QPushButton* button_ = nullptr;
};

}  // namespace temper::ui
