// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>

namespace temper::ui {

/// Icon and text if both fit, else the icon.
class ShrinkingButton : public QToolButton {
    Q_OBJECT
public:
    explicit ShrinkingButton(QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// The size in the given style.
    QSize sizeAs(Qt::ToolButtonStyle style) const;
};

}  // namespace temper::ui
