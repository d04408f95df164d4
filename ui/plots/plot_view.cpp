// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_view.h"

#include <QContextMenuEvent>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/plots/plot_cursor.h"
#include "ui/plots/plot_handles.h"
#include "ui/plots/plot_items.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/series_table.h"
#include "ui/theme/colors.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/drag_handle.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_tools.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr auto kCursorLayer = "cursor";
constexpr qint64 kDescribeMs = 1000;
constexpr int kMinPoints = 400;        ///< also for a plot without a size yet
constexpr int kLinesBesideLegend = 5;  ///< marks above, numbers and label below
/// A curve that varies by less than this share is a constant with rounding errors.
constexpr double kConstant = 1e-9;
/// The least height of axes and curves, in line heights: below it, the page scrolls.
constexpr double kMinLines = 8.6;
/// The x axis reaches so many times as far as the curves, and at least so far.
constexpr double kRoomAhead = 5;
constexpr double kMinAxisEnd = 1000;

/// Adds a margin around the data; a constant line is in the middle.
QCPRange padded(const DrawnRange& range, bool logarithmic) {
    if (logarithmic) return {range.lower / 1.2, range.upper * 1.2};
    const double size = range.upper - range.lower;
    const double extent = std::max(std::abs(range.lower), std::abs(range.upper));
    const bool isConstant = size <= kConstant * extent;
    const double pad = isConstant ? std::max(0.5 * extent, 1e-6) : 0.06 * size;
    return {range.lower - pad, range.upper + pad};
}

void widen(std::optional<DrawnRange>& all, const std::optional<DrawnRange>& one) {
    if (!one) return;
    if (!all) all = one;
    all->lower = std::min(all->lower, one->lower);
    all->upper = std::max(all->upper, one->upper);
}

/// To 1, 2 or 5 times a power of ten: an axis that moved with each step would be restless.
double roundedUp(double number) {
    const double power = std::pow(10, std::floor(std::log10(number)));
    for (const double digit : {1, 2, 5})
        if (digit * power >= number) return digit * power;
    return 10 * power;
}

}  // namespace

PlotView::PlotView(const QString& title, QWidget* parent)
    : QFrame(parent),
      plot_(new QCustomPlot(this)),
      placeholder_(makeLabel({}, "muted", plot_)),
      table_(new SeriesTableModel(this)),
      files_(nullptr),
      title_(title) {
    files_ = makeFiles();
    setProperty("card", true);
    setAccessibleName(title);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(em(this, 0.6), em(this, 0.3), em(this, 0.4), em(this, 0.4));
    layout->setSpacing(0);
    buildTools();
    layout->addWidget(plot_, 1);
    auto* over = new QVBoxLayout(plot_);
    placeholder_->setAlignment(Qt::AlignCenter);
    placeholder_->setWordWrap(true);
    placeholder_->setAttribute(Qt::WA_TransparentForMouseEvents);
    over->addWidget(placeholder_);
    buildPlot();
    applyColors();
}

PlotView::~PlotView() = default;

FigureTools* PlotView::makeFiles() {
    Figure figure;
    figure.title = title_;
    figure.describe = [this] { return description(); };
    figure.table = [this] {
        described_.invalidate();
        describe();
        return table_;
    };
    figure.picture = [this] { return pictureOf(*plot_); };
    figure.paintSvg = [this](QSvgGenerator& file) { return paintPlot(*plot_, file); };
    auto* files = new FigureTools(std::move(figure), this);
    connect(files, &FigureTools::saveFailed, this, &PlotView::saveFailed);
    return files;
}

void PlotView::setCsvSource(std::function<std::string()> source) {
    files_->setCsv(std::move(source));
}

void PlotView::buildPlot() {
    plot_->setObjectName(QStringLiteral("canvas"));
    plot_->setMinimumSize(em(this, 10), em(this, kMinLines));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    followScreen(*plot_);
    plot_->legend->setVisible(true);
    plot_->legend->setBrush(Qt::NoBrush);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignRight);
    plot_->xAxis->setLabel(tr("Step"));
    fitTicks(*plot_->xAxis);
    plot_->setNoAntialiasingOnDrag(true);
    plot_->setPlottingHint(QCP::phFastPolylines);
    marks_ = new MarkItem(plot_);
    plot_->addLayer(kCursorLayer);
    plot_->layer(kCursorLayer)->setMode(QCPLayer::lmBuffered);
    cross_ = new CursorItem(plot_);
    cross_->setLayer(kCursorLayer);
    plot_->installEventFilter(this);
    connect(plot_, &QCustomPlot::mousePress, this, [this](const QMouseEvent* event) {
        if (event->button() == Qt::LeftButton) leaveEverything();  // others open the menu
    });
    connect(plot_, &QCustomPlot::mouseWheel, this, &PlotView::leaveEverything);
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, &PlotView::showEverything);
    connect(plot_->xAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this, [this] {
        if (!follows_) emit viewChanged();
    });
}

QToolButton* PlotView::addTool(const QString& icon, const QString& text) {
    auto* button = new QToolButton(this);
    if (!icon.isEmpty()) button->setIcon(themedIcon(icon));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setAutoRaise(true);
    button->setProperty("compact", true);
    tools_->addWidget(button);
    return button;
}

void PlotView::buildTools() {
    tools_ = new QHBoxLayout;
    tools_->setSpacing(em(this, 0.1));
    tools_->addWidget(files_->makeHandle());
    auto* label = new ElidedLabel(this, Qt::ElideRight);
    label->setText(title_);
    label->setProperty("role", "heading");
    label->setMinimumWidth(std::min(label->sizeHint().width(), em(this, 5)));
    tools_->addWidget(label, 1);
    everything_ = addTool(QStringLiteral("zoom-fit"), tr("Show everything"));
    connect(everything_, &QToolButton::clicked, this, &PlotView::showEverything);
    logarithmic_ = addTool(QStringLiteral("log-scale"), tr("Logarithmic values"));
    logarithmic_->setCheckable(true);
    connect(logarithmic_, &QToolButton::toggled, this,
            [this](bool on) { setLogarithmic(Qt::Vertical, on); });
    QToolButton* more = addTool(QString(), tr("More options for this plot"));
    more->setArrowType(Qt::DownArrow);
    more->setProperty("arrow", true);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(more);
    fillMenu(*menu);
    more->setMenu(menu);
    static_cast<QVBoxLayout*>(layout())->addLayout(tools_);
}

void PlotView::fillMenu(QMenu& menu) {
    QAction* log =
        menu.addAction(themedIcon(QStringLiteral("log-scale-x")), tr("Logarithmic steps"));
    log->setCheckable(true);
    connect(log, &QAction::triggered, this,
            [this](bool on) { setLogarithmic(Qt::Horizontal, on); });
    connect(&menu, &QMenu::aboutToShow, this,
            [this, log] { log->setChecked(isLogarithmic(plot_->xAxis)); });
    files_->fillMenu(menu);
}

QMenu* PlotView::contextMenuAt(double x) {
    auto* menu = new QMenu(this);
    if (contextActions_) contextActions_(*menu, x);
    if (!menu->isEmpty()) menu->addSeparator();
    fillMenu(*menu);
    return menu;
}

/// If opened by keyboard, it belongs to the cross-hair.
void PlotView::contextMenuEvent(QContextMenuEvent* event) {
    const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
    const std::optional<double> cross = cursor_ != nullptr ? cursor_->x() : std::nullopt;
    const double pixel = plot_->mapFrom(this, event->pos()).x();
    const double x =
        byMouse ? plot_->xAxis->pixelToCoord(pixel) : cross.value_or(plot_->xAxis->range().upper);
    QMenu* menu = contextMenuAt(x);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(event->globalPos());
}

void PlotView::addTool(QWidget* tool) { tools_->insertWidget(2, tool); }

int PlotView::addSeries(const QString& name, SeriesStyle style, int color, int pattern) {
    series_.emplace_back(*plot_, name, style, color, pattern);
    series_.back().applyColors(colorsOf(palette()), lineScale(font()));
    return seriesCount() - 1;
}

void PlotView::clearSeries() {
    plot_->clearGraphs();
    series_.clear();
}

void PlotView::setCurve(int series, const Curve& curve) {
    std::optional<DrawnRange> view;
    if (!follows_) view = xRange();
    const auto room = static_cast<size_t>(std::max(kMinPoints, plot_->width()));
    series_.at(static_cast<size_t>(series)).setCurve(curve, view, room);
}

int PlotView::pointCount(int series) const {
    return series_.at(static_cast<size_t>(series)).pointCount();
}

QPixmap PlotView::sampleOf(int series) const {
    return series_.at(static_cast<size_t>(series)).sample(em(this, 1.8), em(this), *this);
}

void PlotView::setMarks(std::vector<PlotMark> marks) { marks_->setMarks(std::move(marks)); }

PlotHandles* PlotView::handles() {
    if (handles_ == nullptr) {
        handles_ = new PlotHandles(*plot_);
        handles_->setColors(colorsOf(palette()));
    }
    return handles_;
}

// ---- drawing -----------------------------------------------------------------------------------

void PlotView::refresh() {
    if (follows_ && (handles_ == nullptr || !handles_->isDragging())) follow();
    describe();
    showCursor();
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void PlotView::setExpectedEnd(double planned, double reached) {
    expectedEnd_ = std::min(planned, roundedUp(std::max(kMinAxisEnd, kRoomAhead * reached)));
}

void PlotView::draw() {
    if (follows_) follow();
    plot_->replot(QCustomPlot::rpImmediateRefresh);
}

void PlotView::follow() {
    std::optional<DrawnRange> x, y;
    for (const PlotSeries& series : series_) {
        widen(x, series.xRange());
        widen(y, series.yRange(isLogarithmic(plot_->yAxis)));
    }
    const bool any = x.has_value();
    fitToHeight(any);
    placeholder_->setVisible(!any);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) axis->setTickLabels(any);
    const double end = std::max(any ? x->upper : 1, expectedEnd_);
    const bool logarithmic = isLogarithmic(plot_->xAxis);
    const double begin =
        logarithmic ? std::max(any ? x->lower : 1, 1.0) : std::min(any ? x->lower : 0, 0.0);
    plot_->xAxis->setRange(begin, std::max(end, begin + 1));
    if (y) plot_->yAxis->setRange(padded(*y, isLogarithmic(plot_->yAxis)));
    if (!y) plot_->yAxis->setRange(0, 1);
}

/// A low plot has no room for a legend and many labels; a row above is reserved for marks.
void PlotView::fitToHeight(bool any) {
    const int lines = plot_->height() / std::max(1, em(this));
    const int room = (lines - kLinesBesideLegend) / 2;
    plot_->legend->setVisible(any && seriesCount() > 1 && room >= plot_->legend->itemCount());
    plot_->yAxis->ticker()->setTickCount(std::clamp(lines / 3, 2, 6));
    plot_->axisRect()->setMinimumMargins(QMargins(0, em(this, 1.1), em(this, 0.6), 0));
}

/// Only if something is drawn: an empty plot can't be zoomed.
void PlotView::leaveEverything() {
    if (placeholder_->isHidden()) follows_ = false;
}

void PlotView::showEverything() {
    if (!std::exchange(follows_, true)) emit viewChanged();
    refresh();
}

void PlotView::zoom(double from, double to) {
    follows_ = false;
    plot_->xAxis->setRange(from, to);
    refresh();
}

DrawnRange PlotView::xRange() const {
    return {plot_->xAxis->range().lower, plot_->xAxis->range().upper};
}

DrawnRange PlotView::yRange() const {
    return {plot_->yAxis->range().lower, plot_->yAxis->range().upper};
}

bool PlotView::isLogarithmic(const QCPAxis* axis) const {
    return axis->scaleType() == QCPAxis::stLogarithmic;
}

bool PlotView::isLogarithmic(Qt::Orientation orientation) const {
    return isLogarithmic(orientation == Qt::Vertical ? plot_->yAxis : plot_->xAxis);
}

void PlotView::setLogarithmic(Qt::Orientation orientation, bool logarithmic) {
    if (logarithmic == isLogarithmic(orientation)) return;
    QCPAxis* axis = orientation == Qt::Vertical ? plot_->yAxis : plot_->xAxis;
    axis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    fitTicks(*axis);
    if (orientation == Qt::Vertical) logarithmic_->setChecked(logarithmic);
    showEverything();
}

// ---- the cross-hair ----------------------------------------------------------------------------

void PlotView::setCursor(PlotCursor* cursor) {
    cursor_ = cursor;
    connect(cursor, &PlotCursor::moved, this, [this] {
        showCursor();
        plot_->layer(kCursorLayer)->replot();
    });
}

void PlotView::showCursorBox(bool shown) { cross_->setBoxed(shown); }

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == plot_ && event->type() == QEvent::Resize) fitToHeight(placeholder_->isHidden());
    if (watched == plot_ && cursor_ != nullptr) {
        if (event->type() == QEvent::MouseMove)
            pointAt(static_cast<QMouseEvent*>(event)->position());
        if (event->type() == QEvent::Leave) cursor_->setX(std::nullopt);
    }
    return QFrame::eventFilter(watched, event);
}

void PlotView::pointAt(const QPointF& position) {
    const bool inside = plot_->axisRect()->rect().contains(position.toPoint());
    cursor_->setX(inside ? std::optional(plot_->xAxis->pixelToCoord(position.x())) : std::nullopt);
}

void PlotView::showCursor() {
    std::vector<CursorValue> values;
    const std::optional<double> x = cursor_ != nullptr ? cursor_->x() : std::nullopt;
    for (const PlotSeries& series : series_) {
        if (!x) break;
        if (series.summary().name.isEmpty()) continue;
        if (const auto point = series.nearest(*x))
            values.push_back({series.summary().name, point->x, point->y, series.color()});
    }
    const QString step =
        values.empty() ? QString()
                       : QLocale().toString(static_cast<qlonglong>(std::llround(values[0].x)));
    cross_->setValues(tr("Step %1").arg(step), std::move(values));
}

/// Moves by a hundredth of the visible range; without a cross-hair, starts at the end.
void PlotView::moveCursor(int direction) {
    const QCPRange range = plot_->xAxis->range();
    const double x = cursor_->x().value_or(range.upper);
    const double stride = std::max(1.0, range.size() / 100);
    cursor_->setX(std::clamp(x + direction * stride, range.lower, range.upper));
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    if (cursor_ == nullptr) return QFrame::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Left: return moveCursor(-1);
        case Qt::Key_Right: return moveCursor(1);
        case Qt::Key_Home: return cursor_->setX(plot_->xAxis->range().lower);
        case Qt::Key_End: return cursor_->setX(plot_->xAxis->range().upper);
        case Qt::Key_Escape:
            if (!cursor_->x()) break;
            return cursor_->setX(std::nullopt);
        default: break;
    }
    QFrame::keyPressEvent(event);
}

// ---- in words and numbers ----------------------------------------------------------------------

void PlotView::describe() {
    if (described_.isValid() && described_.elapsed() < kDescribeMs) return;
    described_.start();
    table_->setSeries(summaries());
    setAccessibleDescription(describeChart(title_, table_->series()));
}

std::vector<SeriesSummary> PlotView::summaries() const {
    std::vector<SeriesSummary> summaries;
    for (const PlotSeries& series : series_)
        if (!series.summary().name.isEmpty()) summaries.push_back(series.summary());
    return summaries;
}

QString PlotView::description() const { return describeChart(title_, summaries()); }

void PlotView::showTable() { files_->showTable(); }

// ---- look and files ----------------------------------------------------------------------------

void PlotView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyColors();
        plot_->replot(QCustomPlot::rpQueuedReplot);
    }
    QFrame::changeEvent(event);
}

void PlotView::applyColors() {
    const Colors& colors = colorsOf(palette());
    stylePlot(*plot_, colors, font());
    marks_->setColors(colors);
    cross_->setColors(colors);
    if (handles_ != nullptr) handles_->setColors(colors);
    for (PlotSeries& series : series_) series.applyColors(colors, lineScale(font()));
}

void PlotView::setPlaceholder(const QString& text) { placeholder_->setText(text); }

bool PlotView::savePng(const QString& path) { return files_->savePng(path); }

bool PlotView::saveSvg(const QString& path) { return files_->saveSvg(path); }

}  // namespace temper::ui
