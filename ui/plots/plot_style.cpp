// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_style.h"

#include <qcustomplot.h>

#include <algorithm>

#include "ui/theme/colors.h"

namespace temper::ui {
namespace {

constexpr double kSmaller = 0.9;
constexpr double kUsualPointSize = 10;

/// QCustomPlot asks for the ratio of pixels once, when it is made.
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

}  // namespace

double lineScale(const QFont& font) { return std::max(1.0, font.pointSizeF() / kUsualPointSize); }

void followScreen(QCustomPlot& plot) { new ScreenFollower(plot); }

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
