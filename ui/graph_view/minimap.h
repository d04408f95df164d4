// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>

namespace temper::ui {

class GraphView;

/// The whole graph in a corner of its view, with a frame around the visible part; click or drag to
/// go there. Hidden while the view shows everything.
class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(GraphView* view);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void forget();
    void refresh();
    void render();
    void goTo(const QPointF& position);
    double scale() const;
    QPointF origin() const;

    GraphView* view_;
    QImage picture_;
};

}  // namespace temper::ui
