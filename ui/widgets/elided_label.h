// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace temper::ui {

/// One line of plain text that takes what space there is: what does not fit is left out in its
/// middle, as of a path, and shown as "…".
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace temper::ui
