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

/// A point in the coordinates of a plot, and the directions in which it can be dragged.
struct PlotHandle {
    double x = 0;
    double y = 0;
    bool movesX = true;
    bool movesY = true;
};

/// Points on a plot that can be dragged with the mouse, drawn as rings. A point follows an axis
/// only after a short drag along it, so that a drag along one axis does not change the other.
class PlotHandles : public QObject {
    Q_OBJECT
public:
    explicit PlotHandles(QCustomPlot& plot);

    void setHandles(std::vector<PlotHandle> handles);
    const std::vector<PlotHandle>& handles() const;
    /// The position of a handle, in pixels of the plot.
    QPointF pixelOf(size_t handle) const;
    /// Whether a handle is held: the axes must not change then.
    bool isDragging() const { return dragged_.has_value(); }
    void setColors(const Colors& colors);

signals:
    void grabbed(int handle);
    /// A handle was dragged to a place, along the axes that it follows.
    void moved(int handle, std::optional<double> x, std::optional<double> y);
    /// A handle was released at its last place.
    void dropped(int handle);
    /// Escape was pressed while a handle was held.
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
