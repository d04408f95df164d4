// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QIcon>
#include <QImage>
#include <QString>
#include <functional>
#include <vector>

#include "engine/training/analysis/decision_plane.h"

class QBoxLayout;
class QCustomPlot;
class QCPGraph;
class QCPItemPixmap;
class QLabel;

namespace temper::ui {

struct Colors;

/// The decisions of a model on a grid: the class of each cell, and its certainty, 0 to 1.
struct PlaneSurface {
    PlaneRange range;
    int columns = 0;
    int rows = 0;
    std::vector<int> classes;  ///< the first row is at the top
    std::vector<float> certainty;

    bool isEmpty() const { return classes.empty(); }
    /// Index of the cell that contains a point; -1 outside.
    int cellAt(double x, double y) const;
};

/// Points of one class.
struct PlanePoints {
    int classIndex = 0;
    bool isHollow = false;
    std::vector<double> x, y;
};

/// The background colour of a cell of a class: the higher the certainty, the stronger.
QColor surfaceColor(const Colors& colors, int color, double certainty);
/// Colour and shape of the points of a class. `color` indexes Colors::series.
QIcon planeMarker(int classIndex, int color, bool isHollow, int size, const Colors& colors);

/// A plane of two features in a card: the background shows the model's decision there, points are
/// drawn on top. Classes differ by colour and by the shape of their points. The wheel and + and -
/// zoom, the mouse and the arrow keys move, a double click and Home show everything.
class PlanePlot : public QFrame {
    Q_OBJECT
public:
    explicit PlanePlot(const QString& title, QWidget* parent = nullptr);

    void setAxes(const QString& x, const QString& y);
    /// Sets the range shown without zoom.
    void setFullRange(const PlaneRange& range);
    const PlaneRange& fullRange() const { return full_; }
    PlaneRange visibleRange() const;
    /// By class: indices of Colors::series.
    void setClassColors(std::vector<int> colors);
    void setSurface(PlaneSurface surface);
    const PlaneSurface& surface() const { return surface_; }
    void setPoints(const std::vector<PlanePoints>& points);
    /// Describes the model's decision at a place; shown at the mouse.
    using PlaceText = std::function<QString(double x, double y)>;
    void setPlaceText(PlaceText text) { placeText_ = std::move(text); }
    void setPlaceholder(const QString& text);

    void showEverything();
    bool savePng(const QString& path) const;
    void copyPicture() const;

signals:
    void saveFailed(const QString& path, const QString& reason);
    /// The user zoomed or moved.
    void viewChanged();

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildTools(const QString& title);
    void buildPlot();
    void applyColors();
    void drawSurface();
    void saveImage();
    void pointAt(const QPoint& position, const QPoint& global);
    void zoom(double factor);
    int colorOf(int classIndex) const;

    struct Series {
        int classIndex;
        bool isHollow;
        QCPGraph* graph;
    };

    QString title_;
    QCustomPlot* plot_;
    QWidget* square_;
    QLabel* placeholder_;
    QBoxLayout* tools_ = nullptr;
    QCPItemPixmap* background_ = nullptr;
    PlaneRange full_;
    PlaneSurface surface_;
    std::vector<Series> series_;
    std::vector<int> classColors_;
    PlaceText placeText_;
    bool settingRange_ = false;
};

}  // namespace temper::ui
