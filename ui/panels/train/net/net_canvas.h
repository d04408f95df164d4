// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "ui/panels/train/net/net_look.h"

namespace temper::ui {

/// Draws a net: a column for the inputs and one for each layer, a tile for each unit, and the
/// weights between them as lines: blue for positive ones, orange for negative ones, the thicker the
/// larger. The lines of the unit under the pointer stand out.
class NetCanvas : public QWidget {
    Q_OBJECT
public:
    explicit NetCanvas(QWidget* parent = nullptr);

    /// Null clears it.
    void setLook(std::shared_ptr<const NetLook> look);
    const std::shared_ptr<const NetLook>& look() const { return look_; }
    /// Space above each column for its title; empty if there is no look.
    std::vector<QRect> titleRects() const;
    /// Where a layer's unit is drawn.
    QRectF unitRect(int layer, int unit) const;
    /// A unit in words: its layer, its strongest weights.
    QString unitText(int layer, int unit) const;

    QSize sizeHint() const override;

signals:
    void laidOut();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Unit {
        int layer = 0;
        int unit = 0;
        bool operator==(const Unit&) const = default;
    };
    /// The tiles of one column, and the space that they take.
    struct Column {
        std::vector<QRectF> tiles;
        QRectF area;
    };

    /// A weight, as a share of the layer's largest.
    struct Line {
        int unit = 0;
        int input = 0;
        double part = 0;
        bool isPointed = false;
    };

    void layOut();
    Column placeColumn(size_t count, double center, double edge) const;
    double widthOf(const QStringList& names) const;
    double reachOf(size_t column, double edge) const;
    double leastSpacing(double edge) const;
    int rowsThatFit(double edge) const;
    size_t tilesOf(size_t column) const;
    std::optional<Unit> unitAt(const QPointF& place) const;
    std::vector<Line> linesTo(size_t column) const;
    void paintLines(QPainter& painter, size_t column) const;
    void paintTile(QPainter& painter, const NetTile& tile, const QRectF& rect) const;
    void paintNames(QPainter& painter) const;

    std::shared_ptr<const NetLook> look_;
    std::vector<Column> columns_;  ///< inputs first
    std::optional<Unit> pointed_;
};

}  // namespace temper::ui
