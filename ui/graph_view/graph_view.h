// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/core/error.h"
#include "ui/graph_view/graph_drawing.h"

class QPainter;

namespace temper::ui {

/// Shows a GraphDrawing: drag to pan, wheel to zoom, click to select, arrow keys to walk along
/// edges, 0 to fit, + and - to zoom. Only what is visible is painted.
class GraphView : public QWidget {
    Q_OBJECT
public:
    explicit GraphView(QWidget* parent = nullptr);

    void setDrawing(std::shared_ptr<const GraphDrawing> drawing);
    const std::shared_ptr<const GraphDrawing>& drawing() const { return drawing_; }
    /// Names of the parameters that train: their boxes carry a filled mark, frozen ones a ring.
    void setTrained(std::set<std::string> trained);
    /// Nodes with something to look at.
    void setFindings(std::map<std::string, Severity> findings);

    /// Selects and brings it into view.
    void selectNode(const std::string& node);
    int selectedBox() const { return selected_; }

    double zoom() const { return zoom_; }
    /// The letters' size that drawings for this view are made with.
    DrawingMetrics metrics() const;

public slots:
    void fit();
    void zoomIn() { zoomAround(rect().center(), 1.25); }
    void zoomOut() { zoomAround(rect().center(), 0.8); }

signals:
    /// `box` is -1 when nothing is selected.
    void boxSelected(int box);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showBeginning();
    QPointF toScene(const QPointF& position) const;
    QRectF visibleScene() const;
    int boxAt(const QPointF& scene) const;
    void select(int box);
    void bringIntoView(int box);
    void zoomAround(const QPointF& position, double factor);
    void walk(int key);
    /// The box that an edge of the selected one leads to: above or below.
    int neighbour(bool below) const;
    int besides(bool right) const;

    void paintEdges(QPainter& painter, const QRectF& visible) const;
    void paintBoxes(QPainter& painter, const QRectF& visible) const;
    void paintBox(QPainter& painter, int index) const;
    void paintMark(QPainter& painter, const GraphBox& box) const;

    std::shared_ptr<const GraphDrawing> drawing_;
    std::set<std::string> trained_;
    std::map<std::string, Severity> findings_;
    double zoom_ = 1;
    QPointF center_;
    bool fits_ = true;  ///< keeps fitting while nobody moved it
    int selected_ = -1;
    QPointF pressed_;
    QPointF pressedCenter_;
    bool dragging_ = false;
};

}  // namespace temper::ui
