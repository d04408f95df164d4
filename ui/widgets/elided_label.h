// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace temper::ui {

/// One line of plain text that takes the available space: text that does not fit is replaced by
/// "…", in the middle, as for a path, or according to `mode`. The tool tip then has it in full.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideMiddle);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    Qt::TextElideMode mode_;
};

}  // namespace temper::ui
