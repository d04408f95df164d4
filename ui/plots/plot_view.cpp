// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_view.h"

#include <qcustomplot.h>

#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "ui/run/curve.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

QToolButton* makeTool(const QString& icon, const QString& text, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setIcon(themedIcon(icon));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    return button;
}

/// A little air around the data; a constant line lies in the middle.
QCPRange padded(QCPRange range, bool logarithmic) {
    if (logarithmic) return {range.lower / 1.2, range.upper * 1.2};
    const double size = range.size();
    const double pad = size > 0 ? 0.06 * size : std::max(0.5 * std::abs(range.lower), 1e-6);
    return {range.lower - pad, range.upper + pad};
}

}  // namespace

PlotView::PlotView(const QString& title, QWidget* parent)
    : QFrame(parent),
      plot_(new QCustomPlot(this)),
      placeholder_(makeLabel({}, "muted", plot_)),
      title_(title) {
    setProperty("card", true);
    setAccessibleName(title);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.6), em(this, 0.3), em(this, 0.4), em(this, 0.4));
    layout->setSpacing(0);
    buildTools(title);
    layout->addWidget(plot_, 1);
    auto* over = new QVBoxLayout(plot_);
    placeholder_->setAlignment(Qt::AlignCenter);
    placeholder_->setAttribute(Qt::WA_TransparentForMouseEvents);
    over->addWidget(placeholder_);
    plot_->setMinimumSize(em(this, 10), em(this, 6));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->legend->setVisible(true);
    plot_->legend->setBrush(Qt::NoBrush);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    plot_->xAxis->setLabel(tr("Step"));
    plot_->setNoAntialiasingOnDrag(true);
    connect(plot_, &QCustomPlot::mousePress, this, [this] { follows_ = false; });
    connect(plot_, &QCustomPlot::mouseWheel, this, [this] {
        follows_ = false;
        everything_->setEnabled(true);
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &PlotView::showEverything);
    applyColors();
}

void PlotView::buildTools(const QString& title) {
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(title, this);
    label->setProperty("role", "heading");
    row->addWidget(label, 1);
    everything_ = makeTool(QStringLiteral("zoom-fit"), tr("Show everything"), this);
    connect(everything_, &QToolButton::clicked, this, &PlotView::showEverything);
    auto* log = makeTool(QStringLiteral("log-scale"), tr("Logarithmic scale"), this);
    log->setCheckable(true);
    connect(log, &QToolButton::toggled, this, &PlotView::setLogarithmic);
    auto* save = makeTool(QStringLiteral("export"), tr("Save plot"), this);
    save->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(save);
    menu->addAction(tr("Save image…"), this, &PlotView::saveImage);
    menu->addAction(tr("Save data as CSV…"), this, &PlotView::saveData);
    save->setMenu(menu);
    for (QToolButton* tool : {everything_, log, save}) row->addWidget(tool);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

int PlotView::addSeries(const QString& name, SeriesStyle style, int color) {
    QCPGraph* graph = plot_->addGraph();
    graph->setName(name);
    graph->setAdaptiveSampling(true);
    series_.push_back({name, style, color, graph});
    applyColors(series_.back());
    return seriesCount() - 1;
}

void PlotView::clearSeries() {
    plot_->clearGraphs();
    series_.clear();
}

void PlotView::setCurve(int series, const Curve& curve) {
    const Series& target = series_.at(static_cast<size_t>(series));
    QVector<QCPGraphData> points;
    points.reserve(static_cast<qsizetype>(2 * curve.buckets().size()));
    for (const CurveBucket& bucket : curve.buckets()) {
        if (target.style == SeriesStyle::Envelope && bucket.minimum != bucket.maximum) {
            points.append({bucket.x, bucket.minimum});
            points.append({bucket.x, bucket.maximum});
        } else {
            points.append({bucket.x, bucket.last});
        }
    }
    target.graph->data()->set(points, true);
}

int PlotView::pointCount(int series) const {
    return static_cast<int>(series_.at(static_cast<size_t>(series)).graph->dataCount());
}

void PlotView::refresh() {
    if (follows_) follow();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::follow() {
    QCPRange x, y;
    bool any = false;
    for (const Series& series : series_) {
        bool found = false;
        const auto domain = logarithmic_ ? QCP::sdPositive : QCP::sdBoth;
        const QCPRange keys = series.graph->getKeyRange(found);
        if (!found) continue;
        const QCPRange values = series.graph->getValueRange(found, domain);
        if (!found) continue;
        x = any ? x.expanded(keys) : keys;
        y = any ? y.expanded(values) : values;
        any = true;
    }
    plot_->legend->setVisible(any);
    placeholder_->setVisible(!any);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->setTickLabels(any);
    if (!any) {
        x = {0, 1};
        y = {0, 1};
    }
    plot_->xAxis->setRange(std::min(x.lower, 0.0), std::max(x.upper, expectedEnd_));
    plot_->yAxis->setRange(padded(y, logarithmic_));
}

void PlotView::showEverything() {
    follows_ = true;
    refresh();
}

void PlotView::setLogarithmic(bool logarithmic) {
    logarithmic_ = logarithmic;
    plot_->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    if (logarithmic) {
        plot_->yAxis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
    } else {
        plot_->yAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    }
    showEverything();
}

void PlotView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyColors();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
    QFrame::changeEvent(event);
}

void PlotView::applyColors() {
    const Colors& colors = colorsOf(palette());
    plot_->setBackground(QBrush(colors.surface));
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.9);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
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
    plot_->legend->setTextColor(colors.muted);
    plot_->legend->setFont(small);
    for (const Series& series : series_) applyColors(series);
}

void PlotView::applyColors(const Series& series) {
    const Colors& colors = colorsOf(palette());
    const QColor color = colors.series.at(static_cast<size_t>(series.color));
    switch (series.style) {
        case SeriesStyle::Envelope:
            series.graph->setPen(QPen(blend(colors.surface, color, 0.35), 1));
            break;
        case SeriesStyle::Line: series.graph->setPen(QPen(color, 2)); break;
        case SeriesStyle::Marked:
            series.graph->setPen(QPen(color, 1.5, Qt::DashLine));
            series.graph->setScatterStyle({QCPScatterStyle::ssDisc, QPen(color), QBrush(color), 5});
            break;
    }
}

void PlotView::setPlaceholder(const QString& text) { placeholder_->setText(text); }

bool PlotView::savePng(const QString& path) { return plot_->savePng(path, 0, 0, 2.0); }

void PlotView::saveImage() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Save image"), title_ + ".png",
                                                      tr("PNG image (*.png)"));
    if (path.isEmpty() || savePng(path)) return;
    emit saveFailed(path, tr("The image could not be written."));
}

void PlotView::saveData() {
    if (!csv_) return;
    const QString path = QFileDialog::getSaveFileName(this, tr("Save data"), title_ + ".csv",
                                                      tr("CSV table (*.csv)"));
    if (path.isEmpty()) return;
    try {
        writeFileAtomically(path.toStdString(), csv_());
    } catch (const Error& error) {
        emit saveFailed(path, QString::fromUtf8(error.what()));
    }
}

}  // namespace temper::ui
