// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plane_plot.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/plots/plot_style.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"
#include "ui/widgets/written_file.h"

namespace temper::ui {
namespace {

constexpr double kZoom = 1.25;
constexpr double kMove = 0.1;  ///< of the visible range
constexpr double kPngScale = 2;
constexpr double kMinStrength = 0.1;
constexpr double kMaxStrength = 0.55;
/// Strength of the line between two classes.
constexpr double kBorderStrength = 0.8;
constexpr int kShapes = 7;

QPainterPath polygon(int corners, double turn, double inner = 0) {
    QPainterPath path;
    const int count = inner > 0 ? 2 * corners : corners;
    for (int i = 0; i < count; ++i) {
        const double angle = turn + 2 * std::numbers::pi * i / count;
        const double radius = inner > 0 && i % 2 == 1 ? inner : 1;
        const QPointF point(radius * std::cos(angle), radius * std::sin(angle));
        i == 0 ? path.moveTo(point) : path.lineTo(point);
    }
    path.closeSubpath();
    return path;
}

/// The shape of a class's points, about as large as a circle of radius 1. Beyond the last shape,
/// the shapes repeat in other colours.
QPainterPath markerShape(int classIndex) {
    constexpr double kUp = -std::numbers::pi / 2;
    QPainterPath path;
    switch ((classIndex + classIndex / kShapes) % kShapes) {
        case 0: path.addEllipse(QPointF(), 0.9, 0.9); return path;
        case 1: path.addRect(QRectF(-0.85, -0.85, 1.7, 1.7)); return path;
        case 2: return QTransform::fromScale(1.2, 1.2).map(polygon(3, kUp));
        case 3: return QTransform::fromScale(1.15, 1.15).map(polygon(4, kUp));
        case 4: return QTransform::fromScale(1.2, 1.2).map(polygon(3, -kUp));
        case 5: return QTransform::fromScale(1.3, 1.3).map(polygon(5, kUp, 0.5));
        default: return polygon(6, 0);
    }
}

struct MarkerLook {
    QPen pen;
    QBrush brush;
};

/// Solid points have a light edge, hollow ones are filled with the background colour.
MarkerLook markerLook(const Colors& colors, int color, bool isHollow, double radius) {
    const QColor ink = blend(colors.series.at(static_cast<size_t>(color)), colors.text, 0.25);
    if (isHollow) return {QPen(ink, std::max(1.2, radius * 0.4)), colors.surface};
    return {QPen(colors.surface, std::max(0.8, radius * 0.2)), ink};
}

/// Keeps its only child a square in the middle.
class Square : public QWidget {
public:
    Square(QWidget* child, QWidget* parent) : QWidget(parent), child_(child) {
        child->setParent(this);
    }
    QSize minimumSizeHint() const override { return child_->minimumSize(); }
    QSize sizeHint() const override { return child_->minimumSize(); }

protected:
    void resizeEvent(QResizeEvent*) override {
        const int side = std::min(width(), height());
        child_->setGeometry((width() - side) / 2, (height() - side) / 2, side, side);
    }

private:
    QWidget* child_;
};

}  // namespace

int PlaneSurface::cellAt(double x, double y) const {
    const int column = static_cast<int>(
        std::floor((x - range.left) / (range.right - range.left) * static_cast<double>(columns)));
    const int row = static_cast<int>(
        std::floor((range.top - y) / (range.top - range.bottom) * static_cast<double>(rows)));
    if (column < 0 || row < 0 || column >= columns || row >= rows) return -1;
    return row * columns + column;
}

QColor surfaceColor(const Colors& colors, int color, double certainty) {
    const double strength =
        kMinStrength + (kMaxStrength - kMinStrength) * std::clamp(certainty, 0.0, 1.0);
    return blend(colors.surface, colors.series.at(static_cast<size_t>(color)), strength);
}

QIcon planeMarker(int classIndex, int color, bool isHollow, int size, const Colors& colors) {
    QPixmap picture(2 * size, 2 * size);  // sharp on high-resolution screens too
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(size, size);
    const double radius = 0.7 * size;
    painter.scale(radius, radius);
    MarkerLook look = markerLook(colors, color, isHollow, 0.5 * size);
    look.pen.setWidthF(look.pen.widthF() * 2 / radius);
    painter.setPen(look.pen);
    painter.setBrush(look.brush);
    painter.drawPath(markerShape(classIndex));
    return QIcon(picture);
}

PlanePlot::PlanePlot(const QString& title, QWidget* parent)
    : QFrame(parent),
      title_(title),
      plot_(new QCustomPlot(this)),
      square_(new Square(plot_, this)),
      placeholder_(makeLabel({}, "muted", plot_)) {
    setProperty("card", true);
    setAccessibleName(title);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.6), em(this, 0.3), em(this, 0.4), em(this, 0.4));
    layout->setSpacing(0);
    buildTools(title);
    layout->addWidget(square_, 1);
    auto* over = new QVBoxLayout(plot_);
    placeholder_->setAlignment(Qt::AlignCenter);
    placeholder_->setWordWrap(true);
    placeholder_->setAttribute(Qt::WA_TransparentForMouseEvents);
    over->addWidget(placeholder_);
    buildPlot();
    applyColors();
}

void PlanePlot::buildTools(const QString& title) {
    tools_ = new QHBoxLayout;
    auto* heading = makeLabel(title, "heading", this);
    heading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    tools_->addWidget(heading, 1);
    const auto add = [this](const char* icon, const QString& text, auto slot) {
        auto* button = new QToolButton(this);
        button->setIcon(themedIcon(QLatin1String(icon)));
        button->setToolTip(text);
        button->setAccessibleName(text);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, slot);
        tools_->addWidget(button);
    };
    add("zoom-fit", tr("Show everything"), &PlanePlot::showEverything);
    add("copy", tr("Copy picture"), &PlanePlot::copyPicture);
    add("export", tr("Save image…"), &PlanePlot::saveImage);
    static_cast<QVBoxLayout*>(layout())->addLayout(tools_);
}

void PlanePlot::buildPlot() {
    plot_->setObjectName(QStringLiteral("canvas"));
    plot_->setMinimumSize(em(this, 9), em(this, 9));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    followScreen(*plot_);
    plot_->axisRect()->setupFullAxesBox(true);
    for (QCPAxis* axis : {plot_->xAxis2, plot_->yAxis2}) axis->setTicks(false);
    plot_->addLayer(QStringLiteral("surface"), plot_->layer(QStringLiteral("background")));
    background_ = new QCPItemPixmap(plot_);
    background_->setLayer(QStringLiteral("surface"));
    background_->setScaled(true, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    background_->setSelectable(false);
    for (QCPItemPosition* corner : {background_->topLeft, background_->bottomRight})
        corner->setType(QCPItemPosition::ptPlotCoords);
    plot_->installEventFilter(this);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &PlanePlot::showEverything);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis})
        connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
            if (!settingRange_) emit viewChanged();
        });
}

int PlanePlot::colorOf(int classIndex) const {
    const auto at = static_cast<size_t>(std::max(0, classIndex));
    return at < classColors_.size() ? classColors_[at]
                                    : static_cast<int>(at % lightColors().series.size());
}

void PlanePlot::setAxes(const QString& x, const QString& y) {
    plot_->xAxis->setLabel(x);
    plot_->yAxis->setLabel(y);
}

void PlanePlot::setFullRange(const PlaneRange& range) {
    full_ = range;
    showEverything();
}

PlaneRange PlanePlot::visibleRange() const {
    const QCPRange x = plot_->xAxis->range(), y = plot_->yAxis->range();
    return {x.lower, x.upper, y.lower, y.upper};
}

void PlanePlot::showEverything() {
    const bool isOther = !(visibleRange() == full_);
    settingRange_ = true;
    plot_->xAxis->setRange(full_.left, full_.right);
    plot_->yAxis->setRange(full_.bottom, full_.top);
    settingRange_ = false;
    plot_->replot(QCustomPlot::rpQueuedReplot);
    if (isOther) emit viewChanged();
}

void PlanePlot::zoom(double factor) {
    plot_->xAxis->scaleRange(factor);
    plot_->yAxis->scaleRange(factor);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlanePlot::setClassColors(std::vector<int> colors) {
    classColors_ = std::move(colors);
    applyColors();
    drawSurface();
}

void PlanePlot::setPlaceholder(const QString& text) { placeholder_->setText(text); }

// ---- drawing -----------------------------------------------------------------------------------

void PlanePlot::setSurface(PlaneSurface surface) {
    surface_ = std::move(surface);
    placeholder_->setVisible(surface_.isEmpty());
    drawSurface();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

/// Draws one pixel per cell; cells at the border of a class are darker, so that regions can be
/// distinguished in any colours.
void PlanePlot::drawSurface() {
    background_->setVisible(!surface_.isEmpty());
    if (surface_.isEmpty()) return;
    const Colors& colors = colorsOf(palette());
    QImage image(surface_.columns, surface_.rows, QImage::Format_RGB32);
    const auto at = [this](int row, int column) {
        return static_cast<size_t>(row * surface_.columns + column);
    };
    for (int row = 0; row < surface_.rows; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < surface_.columns; ++column) {
            const int own = surface_.classes[at(row, column)];
            const bool isBorder =
                (column + 1 < surface_.columns && surface_.classes[at(row, column + 1)] != own) ||
                (row + 1 < surface_.rows && surface_.classes[at(row + 1, column)] != own);
            const int color = colorOf(own);
            const QColor cell =
                surfaceColor(colors, color, double{surface_.certainty[at(row, column)]});
            line[column] = (isBorder ? blend(cell, colors.muted, kBorderStrength) : cell).rgb();
        }
    }
    background_->setPixmap(QPixmap::fromImage(image));
    background_->topLeft->setCoords(surface_.range.left, surface_.range.top);
    background_->bottomRight->setCoords(surface_.range.right, surface_.range.bottom);
}

void PlanePlot::setPoints(const std::vector<PlanePoints>& points) {
    plot_->clearGraphs();
    series_.clear();
    for (const PlanePoints& part : points) {
        QCPGraph* graph = plot_->addGraph();
        QVector<QCPGraphData> values;
        for (size_t i = 0; i < part.x.size(); ++i) values.append({part.x[i], part.y[i]});
        graph->data()->set(values, false);
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setSelectable(QCP::stNone);
        series_.push_back({part.classIndex, part.isHollow, graph});
    }
    applyColors();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlanePlot::applyColors() {
    const Colors& colors = colorsOf(palette());
    stylePlot(*plot_, colors, font());
    for (QCPAxis* axis : {plot_->xAxis2, plot_->yAxis2}) axis->setBasePen(QPen(colors.border));
    // Lines on top of the surface would look like borders of classes.
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->grid()->setVisible(false);
    const double radius = std::max(2.5, em(this) * 0.2);
    for (const Series& series : series_) {
        const MarkerLook look =
            markerLook(colors, colorOf(series.classIndex), series.isHollow, radius);
        const double size = series.isHollow ? 0.85 * radius : radius;
        // Paths of scatter points are drawn at a sixth of their size.
        QPainterPath shape = QTransform::fromScale(size, size).map(markerShape(series.classIndex));
        series.graph->setScatterStyle(QCPScatterStyle(shape, look.pen, look.brush, 6));
    }
}

void PlanePlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyColors();
        drawSurface();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
    QFrame::changeEvent(event);
}

// ---- by hand -----------------------------------------------------------------------------------

bool PlanePlot::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::MouseMove) {
        const auto* move = static_cast<QMouseEvent*>(event);
        if (move->buttons() == Qt::NoButton)
            pointAt(move->position().toPoint(), move->globalPosition().toPoint());
    }
    return QFrame::eventFilter(watched, event);
}

void PlanePlot::pointAt(const QPoint& position, const QPoint& global) {
    if (!placeText_ || !plot_->axisRect()->rect().contains(position)) return QToolTip::hideText();
    QToolTip::showText(global,
                       placeText_(plot_->xAxis->pixelToCoord(position.x()),
                                  plot_->yAxis->pixelToCoord(position.y())),
                       plot_);
}

void PlanePlot::keyPressEvent(QKeyEvent* event) {
    const auto move = [this](QCPAxis* axis, double direction) {
        axis->moveRange(direction * kMove * axis->range().size());
        plot_->replot(QCustomPlot::rpQueuedReplot);
    };
    switch (event->key()) {
        case Qt::Key_Left: return move(plot_->xAxis, -1);
        case Qt::Key_Right: return move(plot_->xAxis, 1);
        case Qt::Key_Up: return move(plot_->yAxis, 1);
        case Qt::Key_Down: return move(plot_->yAxis, -1);
        case Qt::Key_Plus: return zoom(1 / kZoom);
        case Qt::Key_Minus: return zoom(kZoom);
        case Qt::Key_Home: return showEverything();
        default: QFrame::keyPressEvent(event);
    }
}

bool PlanePlot::savePng(const QString& path) const { return plot_->savePng(path, 0, 0, kPngScale); }

void PlanePlot::copyPicture() const {
    QGuiApplication::clipboard()->setPixmap(plot_->toPixmap(0, 0, kPngScale));
}

void PlanePlot::saveImage() {
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save image"), title_ + QStringLiteral(".png"), tr("PNG image (*.png)"));
    if (path.isEmpty()) return;
    if (savePng(path)) return tellWritten(this, path);
    emit saveFailed(path, tr("The image could not be written."));
}

}  // namespace temper::ui
