// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QLineF>
#include <QList>
#include <QWidget>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ui/docks/runs/parallel_axes.h"

namespace temper::ui {

/// Runs as lines over parallel axes: their settings on the left, their results on the right. A
/// range dragged on an axis keeps only the runs within it; axes are moved by their titles, and a
/// click on a title colours the lines by that axis.
///
/// Keys: arrows choose an axis and move its range, Shift makes it larger or smaller, Ctrl moves the
/// axis, Space colours by it, Delete removes the range and Escape all of them.
class ParallelView : public QWidget {
    Q_OBJECT
public:
    /// Places on an axis, the lower one first.
    using Range = std::pair<double, double>;

    /// `runs` must outlive it.
    explicit ParallelView(const RunTableModel& runs, QWidget* parent = nullptr);

    /// Rebuilds the axes; keeps their order and ranges.
    void refresh();
    /// Rows drawn thick.
    void setSelected(std::vector<int> rows);

    const std::vector<ParallelAxis>& axes() const { return axes_; }
    void setRange(const QString& key, std::optional<Range> range);
    void clearRanges();
    bool hasRanges() const { return !ranges_.empty(); }
    /// The rows within all ranges.
    std::vector<int> within() const;
    void moveAxis(int from, int to);
    /// The axis that colours the lines.
    const QString& colorKey() const { return colorKey_; }
    void setColorKey(const QString& key);
    /// The row whose line is nearest; no value if none is near.
    std::optional<int> rowAt(QPointF place) const;
    /// The position of a place on an axis.
    QPointF pointOf(int axis, double place) const;

    QSize sizeHint() const override;

signals:
    /// The user changed the ranges.
    void rangesChanged();
    /// The user chose a line.
    void activated(int row);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRectF plotArea() const;
    double placeAt(double y) const;
    std::optional<int> axisAt(double x) const;
    bool isWithin(size_t row) const;
    void forgetPicture();
    QImage drawnLines() const;
    QColor shadeAt(double place) const;
    void drawSelected(QPainter& painter) const;
    void addLine(QList<QLineF>& lines, size_t row) const;
    void drawAxis(QPainter& painter, int index) const;
    void moveRange(double lower, double upper);
    void describe();

    const RunTableModel& runs_;
    std::vector<ParallelAxis> axes_;
    std::vector<QString> order_;  ///< keys, as the user arranged them
    std::map<QString, Range> ranges_;
    std::vector<int> selected_;
    QString colorKey_;
    int current_ = 0;              ///< the axis with the keyboard focus
    std::optional<int> dragged_;   ///< an axis, by its title
    std::optional<double> brush_;  ///< start of the range on the current axis
    double pressedX_ = 0;
    QImage picture_;  ///< of the lines
};

}  // namespace temper::ui
