// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace temper::ui {

/// Scrolls down, never sideways: at least as wide as its contents need.
class ColumnScroll : public QScrollArea {
    Q_OBJECT
public:
    explicit ColumnScroll(QWidget* parent = nullptr);

    QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace temper::ui
