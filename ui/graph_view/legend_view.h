// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace temper::ui {

class GraphView;

/// The legend of the colours and marks in a graph view, in a corner of it.
class LegendView : public QWidget {
    Q_OBJECT
public:
    explicit LegendView(GraphView* view);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void place();

    GraphView* view_;
};

}  // namespace temper::ui
