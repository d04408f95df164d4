// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/core/error.h"
#include "ui/graph_view/graph_look_state.h"
#include "ui/graph_view/graph_painter.h"

namespace temper::ui {

/// The canvas: shows a GraphDrawing. Drag to pan, wheel to zoom, click to select, double click or
/// Enter to open or close a group, Backspace to close the enclosing group, arrow keys to follow
/// edges. Only what is visible is painted.
class GraphView : public QWidget {
    Q_OBJECT
public:
    explicit GraphView(QWidget* parent = nullptr);
    ~GraphView() override;

    /// A drawing of the same document keeps the position of `anchor` (a group), else of the
    /// selection or the centre; another document is shown from its beginning.
    void setDrawing(std::shared_ptr<const GraphDrawing> drawing, int anchor = -1);
    const std::shared_ptr<const GraphDrawing>& drawing() const { return drawing_; }

    void setOverlay(OverlayKind kind);
    OverlayKind overlay() const { return overlayKind_; }
    void setOverlayData(OverlayData values);
    const OverlayData& overlayData() const { return overlayData_; }
    const std::vector<LegendEntry>& legend() const { return look_.overlay.legend; }
    /// Findings by the names of their nodes.
    void setFindings(const std::map<std::string, Severity>& findings);
    /// Nodes of the path to show; empty: none.
    void setPath(std::set<int> nodes);
    const std::set<int>& path() const { return look_.path; }
    void setHits(std::set<int> nodes);

    /// Selects the box of the node, or of the closed group around it, and brings it into view.
    void selectNode(int node);
    void selectBox(int box);
    int selectedBox() const { return look_.selected; }
    /// Null if nothing is selected.
    const GraphBox* selected() const;
    void bringIntoView(int box);

    /// A corner covered by another widget: no box is placed there.
    void keepFree(const QRect& corner);

    double zoom() const { return zoom_; }
    GraphPlace place() const { return {zoom_, center_, fits_}; }
    void setPlace(const GraphPlace& place);
    QRectF visibleScene() const;
    QPointF toWidget(const QPointF& scene) const;
    void centerOn(const QPointF& scene);
    /// The rectangle of a box on this widget.
    QRect boxRect(int box) const;
    /// The letter size of drawings for this view.
    DrawingMetrics metrics() const { return metricsFor(font()); }
    /// Describes a box in words, for screen readers and tool tips.
    QString describe(int box) const;

public slots:
    void fit();
    void zoomToFull();
    void zoomIn() { zoomAround(rect().center(), 1.25); }
    void zoomOut() { zoomAround(rect().center(), 0.8); }

signals:
    /// `box` is -1 when nothing is selected.
    void boxSelected(int box);
    void toggleRequested(int group);
    void shapeNodesRequested(int node);
    void menuRequested(int box, const QPoint& global);
    void drawingChanged();
    void viewChanged();
    void legendChanged();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void showBeginning();
    double zoomToFit(const QRectF& room) const;
    void fitInto(const QRectF& room);
    bool hasBoxUnderCorner() const;
    void keepPlace(const GraphDrawing& before, int anchor);
    int sameBox(const GraphDrawing& drawing, const GraphBox& box) const;
    int boxNearMiddle(const GraphDrawing& drawing) const;
    QPointF toScene(const QPointF& position) const;
    int boxAt(const QPointF& scene) const;
    void clickBox(int box, const QPointF& scene);
    void moved();
    void zoomAround(const QPointF& position, double factor);
    void walk(int key);
    /// The box that an edge of the selected one leads to: along the flow or against it.
    int neighbour(bool along) const;
    int besides(bool forward) const;
    void closeAround();
    void refreshOverlay();

    std::shared_ptr<const GraphDrawing> drawing_;
    GraphLook look_;
    std::map<std::string, Severity> findings_;
    OverlayKind overlayKind_ = OverlayKind::Operators;
    OverlayData overlayData_;
    double zoom_ = 1;
    QPointF center_;
    QRectF corner_;
    bool fits_ = true;  ///< keeps fitting until the user moves it
    QPointF pressed_;
    QPointF pressedCenter_;
    bool dragging_ = false;
};

}  // namespace temper::ui
