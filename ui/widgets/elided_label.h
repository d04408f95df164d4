// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace temper::ui {

/// One line of plain text that takes what space there is: what does not fit is left out and shown
/// as "…", in its middle, as of a path, or where `mode` says.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideMiddle);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Qt::TextElideMode mode_;
};

}  // namespace temper::ui
