// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QFrame>
#include <QPixmap>
#include <QString>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ui/plots/plot_mark.h"
#include "ui/plots/plot_series.h"

class QBoxLayout;
class QCustomPlot;
class QCPAxis;
class QLabel;
class QMenu;
class QToolButton;

namespace temper::ui {

class CursorItem;
class FigureTools;
class MarkItem;
class PlotCursor;
class PlotHandles;
class SeriesTableModel;

/// A plot of curves over training steps in a card: title, legend, zoom by wheel and drag, tools to
/// reset the zoom, for logarithmic axes, to show the numbers as a table, and to save an image or
/// the data. The arrow keys move the cross-hair.
class PlotView : public QFrame {
    Q_OBJECT
public:
    explicit PlotView(const QString& title, QWidget* parent = nullptr);
    ~PlotView() override;

    /// Returns: the series' number for setCurve(). `color` indexes Colors::series, whatever its
    /// size. A series without a name is drawn, but appears in no legend, table or description.
    /// `pattern`: dashes and markers that distinguish compared curves without colour.
    int addSeries(const QString& name, SeriesStyle style, int color, int pattern = 0);
    int seriesCount() const { return static_cast<int>(series_.size()); }
    void clearSeries();
    /// Copies the drawn part of the curve. Draw with refresh().
    void setCurve(int series, const Curve& curve);
    int pointCount(int series) const;
    /// A sample of the series as drawn, for tables.
    QPixmap sampleOf(int series) const;
    void setMarks(std::vector<PlotMark> marks);
    /// Draws soon; several calls draw once. Follows the data unless the user zoomed in.
    void refresh();
    /// Draws at once.
    void draw();

    /// The x axis leaves room for what is to come: all that is planned or, in a long run that has
    /// hardly begun, a part of it.
    void setExpectedEnd(double planned, double reached);
    /// Sets the data that "Save data" writes.
    void setCsvSource(std::function<std::string()> source);
    /// Plots with the same cursor show it together; it must outlive the plot.
    void setCursor(PlotCursor* cursor);
    PlotCursor* cursor() const { return cursor_; }
    /// Draggable points; while one is dragged, the axes do not change.
    PlotHandles* handles();
    /// Sets whether the values are shown beside the cross-hair.
    void showCursorBox(bool shown);
    /// Adds a widget to the tools, e.g. a slider.
    void addTool(QWidget* tool);

    /// Adds the actions for a place on the x axis to the context menu.
    using ContextActions = std::function<void(QMenu& menu, double x)>;
    void setContextActions(ContextActions actions) { contextActions_ = std::move(actions); }
    /// The context menu of a place on the x axis; owned by the caller.
    QMenu* contextMenuAt(double x);

    /// Shown while no series has a point.
    void setPlaceholder(const QString& text);

    void showEverything();
    void zoom(double from, double to);
    void setLogarithmic(Qt::Orientation axis, bool logarithmic);
    bool isLogarithmic(Qt::Orientation axis) const;
    DrawnRange xRange() const;
    DrawnRange yRange() const;

    /// The chart described in words.
    QString description() const;
    SeriesTableModel* table() const { return table_; }
    void showTable();
    /// The plot as table, file and drag data.
    FigureTools* files() const { return files_; }

    bool savePng(const QString& path);
    bool saveSvg(const QString& path);

signals:
    void saveFailed(const QString& path, const QString& reason);
    /// The user zoomed: setCurve() then shows the visible part in more detail.
    void viewChanged();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTools();
    void buildPlot();
    QToolButton* addTool(const QString& icon, const QString& text);
    void fillMenu(QMenu& menu);
    void applyColors();
    void follow();
    void fitToHeight(bool any);
    void leaveEverything();
    void pointAt(const QPointF& position);
    void moveCursor(int direction);
    void showCursor();
    void describe();
    std::vector<SeriesSummary> summaries() const;
    FigureTools* makeFiles();
    bool isLogarithmic(const QCPAxis* axis) const;

    QCustomPlot* plot_;
    QLabel* placeholder_;
    SeriesTableModel* table_;
    FigureTools* files_;
    QBoxLayout* tools_ = nullptr;
    QToolButton* everything_ = nullptr;
    QToolButton* logarithmic_ = nullptr;
    MarkItem* marks_ = nullptr;
    CursorItem* cross_ = nullptr;
    PlotCursor* cursor_ = nullptr;
    PlotHandles* handles_ = nullptr;
    QString title_;
    std::vector<PlotSeries> series_;
    ContextActions contextActions_;
    QElapsedTimer described_;
    double expectedEnd_ = 0;
    bool follows_ = true;
};

}  // namespace temper::ui
