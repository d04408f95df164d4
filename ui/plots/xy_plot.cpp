// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/xy_plot.h"

#include <qcustomplot.h>

#include <QContextMenuEvent>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/plot_style.h"
#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/drag_handle.h"
#include "ui/widgets/figure_tools.h"
#include "ui/widgets/page.h"
#include "ui/widgets/value_table.h"

namespace temper::ui {
namespace {

constexpr double kRoom = 1.06;  ///< length of an axis relative to its points, for a margin

}  // namespace

XyPlot::XyPlot(const QString& title, const QString& xLabel, const QString& yLabel, QWidget* parent)
    : QFrame(parent),
      plot_(new QCustomPlot(this)),
      placeholder_(makeLabel({}, "muted", plot_)),
      table_(new ValueTable(this)),
      files_(makeFiles(title)) {
    setProperty("card", true);
    setAccessibleName(title);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.6), em(this, 0.4), em(this, 0.4), em(this, 0.4));
    buildHeader(title);
    layout->addWidget(plot_, 1);
    auto* over = new QVBoxLayout(plot_);
    placeholder_->setAlignment(Qt::AlignCenter);
    placeholder_->setWordWrap(true);
    over->addWidget(placeholder_);
    plot_->setMinimumSize(em(this, 12), em(this, 8));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    followScreen(*plot_);
    plot_->xAxis->setLabel(xLabel);
    fitTicks(*plot_->xAxis);
    plot_->yAxis->setLabel(yLabel);
    plot_->legend->setBrush(Qt::NoBrush);
    plot_->legend->setBorderPen(Qt::NoPen);
    setLegendCorner(Qt::AlignBottom | Qt::AlignRight);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &XyPlot::refresh);
    applyColors();
    refresh();
}

void XyPlot::buildHeader(const QString& title) {
    auto* row = new QHBoxLayout;
    row->setSpacing(em(this, 0.2));
    row->addWidget(files_->makeHandle());
    QLabel* heading = makeLabel(title, "heading", this);
    heading->setWordWrap(true);
    row->addWidget(heading, 1);
    auto* more = new QToolButton(this);
    more->setObjectName(QStringLiteral("xyPlotMore"));
    more->setArrowType(Qt::DownArrow);
    more->setProperty("arrow", true);
    more->setPopupMode(QToolButton::InstantPopup);
    more->setAutoRaise(true);
    more->setToolTip(tr("Table, image, data"));
    more->setAccessibleName(tr("More options for the plot %1").arg(title));
    auto* menu = new QMenu(more);
    files_->fillMenu(*menu);
    more->setMenu(menu);
    row->addWidget(more);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

FigureTools* XyPlot::makeFiles(const QString& title) {
    Figure figure;
    figure.title = title;
    figure.describe = [this] { return description(); };
    figure.table = [this] { return fillTable(); };
    figure.csv = [this] { return fillTable()->csv(); };
    figure.picture = [this] { return pictureOf(*plot_); };
    figure.paintSvg = [this](QSvgGenerator& file) { return paintPlot(*plot_, file); };
    return new FigureTools(std::move(figure), this);
}

/// Skips the ideal, which has no name and is not measured.
ValueTable* XyPlot::fillTable() {
    std::vector<ValueTable::Row> rows;
    for (const Series& series : series_) {
        if (series.graph->name().isEmpty()) continue;
        for (const QCPGraphData& point : *series.graph->data())
            rows.push_back({series.graph->name(), point.key, point.value});
    }
    table_->setContent({tr("Curve"), plot_->xAxis->label(), plot_->yAxis->label()},
                       std::move(rows));
    return table_;
}

void XyPlot::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    files_->fillMenu(*menu);
    menu->popup(event->globalPos());
}

void XyPlot::clear() {
    plot_->clearGraphs();
    series_.clear();
}

void XyPlot::addSeries(const QString& name, XyStyle style, int color,
                       const std::vector<QPointF>& points) {
    QVector<QCPGraphData> copies;
    for (const QPointF& point : points) copies.append({point.x(), point.y()});
    QCPGraph* graph = plot_->addGraph();
    graph->setName(name);
    graph->data()->set(copies, style != XyStyle::Points);
    if (name.isEmpty()) graph->removeFromLegend();
    series_.push_back({style, color, graph});
    applyColors(series_.back());
}

void XyPlot::setRange(QPointF lowest, QPointF highest) {
    hasRange_ = true;
    lowest_ = lowest;
    highest_ = highest;
}

void XyPlot::setLegendCorner(Qt::Alignment corner) {
    plot_->axisRect()->insetLayout()->setInsetAlignment(0, corner);
}

void XyPlot::setLogarithmicX() {
    plot_->xAxis->setScaleType(QCPAxis::stLogarithmic);
    fitTicks(*plot_->xAxis);
    plot_->xAxis->setNumberFormat(QStringLiteral("eb"));  // powers of ten
    plot_->xAxis->setNumberPrecision(0);
}

bool XyPlot::isLogarithmicX() const { return plot_->xAxis->scaleType() == QCPAxis::stLogarithmic; }

void XyPlot::fitRange() {
    plot_->rescaleAxes();
    plot_->yAxis->scaleRange(kRoom, plot_->yAxis->range().center());
    if (yRange_) plot_->yAxis->setRange(yRange_->first, yRange_->second);
    const QCPRange x = plot_->xAxis->range();
    if (!isLogarithmicX()) return plot_->xAxis->scaleRange(kRoom, x.center());
    const double around = std::pow(x.upper / x.lower, (kRoom - 1) / 2);
    plot_->xAxis->setRange(x.lower / around, x.upper * around);
}

void XyPlot::setPlaceholder(const QString& text) { placeholder_->setText(text); }

void XyPlot::refresh() {
    const bool any = !series_.empty();
    placeholder_->setVisible(!any);
    plot_->legend->setVisible(any && plot_->legend->itemCount() > 0);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->setTickLabels(any);
    if (hasRange_) {
        plot_->xAxis->setRange(lowest_.x(), highest_.x());
        plot_->yAxis->setRange(lowest_.y(), highest_.y());
    } else if (any) {
        fitRange();
    }
    setAccessibleDescription(description());
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

QString XyPlot::description() const {
    QStringList parts;
    for (const Series& series : series_)
        if (!series.graph->name().isEmpty()) parts << series.graph->name();
    return tr("%1 over %2: %3")
        .arg(plot_->yAxis->label(), plot_->xAxis->label(),
             parts.isEmpty() ? tr("empty") : parts.join(QStringLiteral("; ")));
}

void XyPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyColors();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
    QFrame::changeEvent(event);
}

void XyPlot::applyColors() {
    const Colors& colors = colorsOf(palette());
    stylePlot(*plot_, colors, font());
    for (const Series& series : series_) applyColors(series);
}

void XyPlot::applyColors(const Series& series) {
    const Colors& colors = colorsOf(palette());
    const QColor& color = seriesColor(colors, series.color);
    const double scale = lineScale(font());
    switch (series.style) {
        case XyStyle::Line: series.graph->setPen(patternPen(color, 2 * scale, series.color)); break;
        case XyStyle::Marked:
            series.graph->setPen(patternPen(color, 1.5 * scale, series.color));
            series.graph->setScatterStyle(patternMarker(color, 6 * scale, series.color));
            break;
        case XyStyle::Points:
            series.graph->setLineStyle(QCPGraph::lsNone);
            series.graph->setScatterStyle(
                {QCPScatterStyle::ssCircle, QPen(color), Qt::NoBrush, 5 * scale});
            break;
        case XyStyle::Reference:
            series.graph->setPen(QPen(colors.muted, scale, Qt::DashLine));
            break;
    }
}

}  // namespace temper::ui
