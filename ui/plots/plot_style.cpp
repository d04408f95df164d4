// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_style.h"

#include <qcustomplot.h>

#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr double kSmaller = 0.9;
constexpr double kUsualPointSize = 10;
constexpr double kImageScale = 2;

/// QCustomPlot queries the pixel ratio only once, on construction.
class ScreenFollower : public QObject {
public:
    explicit ScreenFollower(QCustomPlot& plot) : QObject(&plot), plot_(plot) {
        plot_.installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const double ratio = plot_.devicePixelRatioF();
        if (event->type() == QEvent::Paint && ratio != plot_.bufferDevicePixelRatio()) {
            plot_.setBufferDevicePixelRatio(ratio);
            plot_.replot(QCustomPlot::rpQueuedReplot);
        }
        return QObject::eventFilter(watched, event);
    }

private:
    QCustomPlot& plot_;
};

/// Takes fewer ticks until their labels fit beside each other. It asks for the length of the axis
/// before the layout, which is then up to date but for the width of the other labels.
template <typename Ticker>
class FittingTicker : public Ticker {
public:
    explicit FittingTicker(const QCPAxis& axis) : axis_(axis) {}

    void generate(const QCPRange& range, const QLocale& locale, QChar format, int precision,
                  QVector<double>& ticks, QVector<double>* subTicks,
                  QVector<QString>* labels) override {
        const int wanted = this->tickCount();
        for (int count = wanted; count > 0; --count) {
            this->setTickCount(count);
            Ticker::generate(range, locale, format, precision, ticks, subTicks, labels);
            if (labels == nullptr || fit(range, ticks, *labels)) break;
        }
        this->setTickCount(wanted);
    }

private:
    bool fit(const QCPRange& range, const QVector<double>& ticks,
             const QVector<QString>& labels) const {
        const QFontMetricsF metrics(axis_.tickLabelFont());
        const bool isHorizontal = axis_.orientation() == Qt::Horizontal;
        double end = -std::numeric_limits<double>::infinity();
        for (qsizetype i = 0; i < labels.size(); ++i) {
            const double size =
                isHorizontal ? metrics.horizontalAdvance(labels[i]) : metrics.height();
            const double begin = placeOf(ticks[i], range) - size / 2;
            if (begin < end) return false;
            end = begin + size + (isHorizontal ? metrics.averageCharWidth() : 0);
        }
        return true;
    }

    /// In pixels from the begin of the axis.
    double placeOf(double tick, const QCPRange& range) const {
        const QRect view = axis_.parentPlot()->viewport();
        const QMargins margins = axis_.axisRect()->margins();
        const double length = axis_.orientation() == Qt::Horizontal
                                  ? view.width() - margins.left() - margins.right()
                                  : view.height() - margins.top() - margins.bottom();
        const double share =
            axis_.scaleType() == QCPAxis::stLogarithmic
                ? std::log(tick / range.lower) / std::log(range.upper / range.lower)
                : (tick - range.lower) / range.size();
        return share * length;
    }

    const QCPAxis& axis_;
};

}  // namespace

void fitTicks(QCPAxis& axis) {
    if (axis.scaleType() == QCPAxis::stLogarithmic) {
        axis.setTicker(QSharedPointer<FittingTicker<QCPAxisTickerLog>>::create(axis));
    } else {
        axis.setTicker(QSharedPointer<FittingTicker<QCPAxisTicker>>::create(axis));
    }
}

double lineScale(const QFont& font) { return std::max(1.0, font.pointSizeF() / kUsualPointSize); }

void followScreen(QCustomPlot& plot) { new ScreenFollower(plot); }

QPen patternPen(const QColor& color, double width, int pattern) {
    // in line widths
    static const QList<qreal> kDashes[kDashPatterns] = {{},           {5, 2.5}, {1, 2},
                                                        {6, 2, 1, 2}, {11, 3},  {6, 2, 1, 2, 1, 2}};
    QPen pen(color, width);
    const QList<qreal>& dashes = kDashes[pattern % kDashPatterns];
    if (dashes.isEmpty()) return pen;
    pen.setDashPattern(dashes);
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

QCPScatterStyle patternMarker(const QColor& color, double size, int pattern) {
    using Style = QCPScatterStyle;
    static constexpr Style::ScatterShape kShapes[] = {Style::ssDisc,
                                                      Style::ssSquare,
                                                      Style::ssTriangle,
                                                      Style::ssDiamond,
                                                      Style::ssTriangleInverted,
                                                      Style::ssCross,
                                                      Style::ssPlus,
                                                      Style::ssStar,
                                                      Style::ssCircle};
    const Style::ScatterShape shape = kShapes[static_cast<size_t>(pattern) % std::size(kShapes)];
    const QBrush brush = shape == Style::ssCircle ? QBrush(Qt::NoBrush) : QBrush(color);
    return {shape, QPen(color, size / 5), brush, shape == Style::ssDisc ? size : 1.2 * size};
}

QImage pictureOf(QCustomPlot& plot) { return plot.toPixmap(0, 0, kImageScale).toImage(); }

bool paintPlot(QCustomPlot& plot, QSvgGenerator& file) {
    file.setSize(plot.size());
    file.setViewBox(QRect(QPoint(), plot.size()));
    QCPPainter painter;
    if (!painter.begin(&file)) return false;
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, plot.width(), plot.height());
    return painter.end();
}

void stylePlot(QCustomPlot& plot, const Colors& colors, const QFont& font) {
    plot.setBackground(QBrush(colors.surface));
    QFont small = font;
    small.setPointSizeF(small.pointSizeF() * kSmaller);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(QPen(colors.border));
        axis->setTickPen(QPen(colors.border));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLabelColor(colors.muted);
        axis->setLabelColor(colors.muted);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->grid()->setPen(QPen(blend(colors.surface, colors.border, 0.7), 0, Qt::SolidLine));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
    plot.legend->setTextColor(colors.muted);
    plot.legend->setFont(small);
}

}  // namespace temper::ui
