// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>
#include <functional>
#include <string>
#include <vector>

class QCustomPlot;
class QCPGraph;
class QLabel;
class QToolButton;

namespace temper::ui {

class Curve;

enum class SeriesStyle {
    Envelope,  ///< thin and pale, between minimum and maximum: raw values
    Line,      ///< strong
    Marked,    ///< dashed, with a marker at each point: few values
};

/// A plot of curves over training steps in a card: title, legend, zoom by wheel and drag, tools to
/// go back to everything, to switch the y axis to logarithmic, and to save an image or the data.
class PlotView : public QFrame {
    Q_OBJECT
public:
    explicit PlotView(const QString& title, QWidget* parent = nullptr);

    /// Returns: the series' number for setCurve(). `color` indexes Colors::series.
    int addSeries(const QString& name, SeriesStyle style, int color);
    int seriesCount() const { return static_cast<int>(series_.size()); }
    void clearSeries();
    /// Copies what is drawn of the curve. Draw with refresh().
    void setCurve(int series, const Curve& curve);
    int pointCount(int series) const;
    /// Draws soon; several calls draw once. Follows the data unless someone zoomed in.
    void refresh();

    /// The x axis reaches at least this far.
    void setExpectedEnd(double x) { expectedEnd_ = x; }
    /// What "Save data" writes.
    void setCsvSource(std::function<std::string()> source) { csv_ = std::move(source); }

    /// Shown while no series has a point.
    void setPlaceholder(const QString& text);

    void showEverything();
    bool savePng(const QString& path);

signals:
    void saveFailed(const QString& path, const QString& reason);

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Series {
        QString name;
        SeriesStyle style;
        int color;
        QCPGraph* graph;
    };

    void buildTools(const QString& title);
    void applyColors();
    void applyColors(const Series& series);
    void setLogarithmic(bool logarithmic);
    void follow();
    void saveImage();
    void saveData();

    QCustomPlot* plot_;
    QLabel* placeholder_;
    QToolButton* everything_ = nullptr;
    QString title_;
    std::vector<Series> series_;
    std::function<std::string()> csv_;
    double expectedEnd_ = 0;
    bool follows_ = true;
    bool logarithmic_ = false;
};

}  // namespace temper::ui
