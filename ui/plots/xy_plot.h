// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QPointF>
#include <QString>
#include <optional>
#include <utility>
#include <vector>

class QCustomPlot;
class QCPGraph;
class QLabel;
class QContextMenuEvent;

namespace temper::ui {

enum class XyStyle {
    Line,       ///< through the points
    Marked,     ///< a line with a marker at each point
    Points,     ///< markers only
    Reference,  ///< thin and dashed: the ideal
};

class FigureTools;
class ValueTable;

/// A plot of one quantity over another in a card: a title, axes with names, a legend; its numbers
/// as a table, an image or the data as a file, both also by dragging.
class XyPlot : public QFrame {
    Q_OBJECT
public:
    XyPlot(const QString& title, const QString& xLabel, const QString& yLabel,
           QWidget* parent = nullptr);

    void clear();
    /// `color` indexes Colors::series, whatever its size.
    void addSeries(const QString& name, XyStyle style, int color,
                   const std::vector<QPointF>& points);
    int seriesCount() const { return static_cast<int>(series_.size()); }
    /// Sets the shown part of the plane; by default, all points.
    void setRange(QPointF lowest, QPointF highest);
    /// Shows this range of y and all x: points beyond are not drawn.
    void setYRange(double lowest, double highest) { yRange_ = {lowest, highest}; }
    /// By default at the bottom on the right.
    void setLegendCorner(Qt::Alignment corner);
    /// All x must be above 0.
    void setLogarithmicX();
    bool isLogarithmicX() const;
    void setPlaceholder(const QString& text);
    void refresh();
    /// The plot as table, file and drag data.
    FigureTools* files() const { return files_; }
    /// The plot described in words.
    QString description() const;

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Series {
        XyStyle style;
        int color;
        QCPGraph* graph;
    };

    /// Shows all points with a margin.
    void fitRange();
    void applyColors();
    void applyColors(const Series& series);
    void buildHeader(const QString& title);
    FigureTools* makeFiles(const QString& title);
    /// Shows the points as rows.
    ValueTable* fillTable();

    QCustomPlot* plot_;
    QLabel* placeholder_;
    ValueTable* table_;
    FigureTools* files_;
    std::vector<Series> series_;
    std::optional<std::pair<double, double>> yRange_;
    bool hasRange_ = false;
    QPointF lowest_;
    QPointF highest_;
};

}  // namespace temper::ui
