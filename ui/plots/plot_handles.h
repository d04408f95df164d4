// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointF>
#include <optional>
#include <vector>

class QCustomPlot;
class QMouseEvent;

namespace temper::ui {

class HandleItem;
struct Colors;

/// A point in the coordinates of a plot, and the ways that it can be dragged.
struct PlotHandle {
    double x = 0;
    double y = 0;
    bool movesX = true;
    bool movesY = true;
};

/// Points on a plot that are dragged with the mouse, drawn as rings. A point gets hold of an axis
/// once it was dragged a little along it, so that what was meant to go one way stays on the other.
class PlotHandles : public QObject {
    Q_OBJECT
public:
    explicit PlotHandles(QCustomPlot& plot);

    void setHandles(std::vector<PlotHandle> handles);
    const std::vector<PlotHandle>& handles() const;
    /// Where a handle is drawn, in pixels of the plot.
    QPointF pixelOf(size_t handle) const;
    /// A handle is held: axes are to stay as they are.
    bool isDragging() const { return dragged_.has_value(); }
    void setColors(const Colors& colors);

signals:
    void grabbed(int handle);
    /// Where it is dragged to, along the axes that it has hold of.
    void moved(int handle, std::optional<double> x, std::optional<double> y);
    /// Let go where it was last moved to.
    void dropped(int handle);
    /// Escape while it was held.
    void cancelled();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    std::optional<size_t> handleAt(const QPointF& pixel) const;
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    void point(std::optional<size_t> handle);

    QCustomPlot& plot_;
    HandleItem* item_;
    std::optional<size_t> dragged_;
    QPointF grip_;   ///< from the mouse to the handle when it was grabbed
    QPointF start_;  ///< of the handle
    bool hasX_ = false;
    bool hasY_ = false;
};

}  // namespace temper::ui
