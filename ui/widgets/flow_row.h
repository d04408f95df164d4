// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

namespace temper::ui {

/// Widgets beside each other, each as large as it wants; those without room continue in the next
/// line. The height follows the width.
class FlowRow : public QWidget {
    Q_OBJECT
public:
    explicit FlowRow(QWidget* parent = nullptr);

    /// The row owns the widget.
    void add(QWidget* widget);
    /// All in one line.
    QSize sizeHint() const override;
    /// As wide as the widest.
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void arrange();

    std::vector<QWidget*> widgets_;
};

}  // namespace temper::ui
