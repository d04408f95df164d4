// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QVBoxLayout;

namespace temper::ui {

class StageRail;

/// The rail and, beside it, the pages. In a narrow window, the rail is as narrow as its icons,
/// whatever page and docks are shown.
class PageFrame : public QWidget {
    Q_OBJECT
public:
    explicit PageFrame(QWidget* parent = nullptr);

    StageRail* rail() const { return rail_; }
    /// The layout beside the rail.
    QVBoxLayout* column() const { return column_; }
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    int leastColumnWidth() const;
    void arrange();

    StageRail* rail_;
    QVBoxLayout* column_;
};

}  // namespace temper::ui
