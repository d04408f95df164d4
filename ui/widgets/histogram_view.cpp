// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/histogram_view.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QSvgGenerator>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/theme/colors.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/drag_handle.h"
#include "ui/widgets/figure_tools.h"
#include "ui/widgets/value_table.h"

namespace temper::ui {
namespace {

constexpr int kHistogramScale = 2;  ///< of pictures, for print

}  // namespace

HistogramView::HistogramView(QWidget* parent)
    : QWidget(parent), table_(new ValueTable(this)), files_(makeFiles()) {
    setMinimumHeight(em(this, 5));
    setAccessibleName(tr("Distribution of the values"));
    buildTools();
}

FigureTools* HistogramView::makeFiles() {
    Figure figure;
    figure.title = tr("Distribution of the values");
    figure.describe = [this] { return description(); };
    figure.table = [this] { return fillTable(); };
    figure.csv = [this] { return fillTable()->csv(); };
    figure.picture = [this] {
        QImage image(size() * kHistogramScale, QImage::Format_RGB32);
        image.fill(colorsOf(palette()).surface);
        QPainter painter(&image);
        painter.scale(kHistogramScale, kHistogramScale);
        painter.setFont(font());
        paint(painter);
        return image;
    };
    figure.paintSvg = [this](QSvgGenerator& file) {
        file.setSize(size());
        file.setViewBox(rect());
        QPainter painter;
        if (!painter.begin(&file)) return false;
        painter.setFont(font());
        paint(painter);
        return painter.end();
    };
    return new FigureTools(std::move(figure), this);
}

void HistogramView::buildTools() {
    auto* more = new QToolButton(this);
    more->setObjectName(QStringLiteral("histogramMore"));
    more->setArrowType(Qt::DownArrow);
    more->setProperty("arrow", true);
    more->setPopupMode(QToolButton::InstantPopup);
    more->setAutoRaise(true);
    more->setToolTip(tr("Table, image, data"));
    more->setAccessibleName(tr("More options for this distribution"));
    auto* menu = new QMenu(more);
    files_->fillMenu(*menu);
    more->setMenu(menu);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addStretch(1);
    row->addWidget(files_->makeHandle(), 0, Qt::AlignTop);
    row->addWidget(more, 0, Qt::AlignTop);
}

void HistogramView::setHistogram(std::vector<int64_t> counts, double minimum, double maximum) {
    counts_ = std::move(counts);
    minimum_ = minimum;
    maximum_ = maximum;
    setAccessibleDescription(description());
    setVisible(!counts_.empty());
    update();
}

void HistogramView::setLogarithmic(bool logarithmic) {
    logarithmic_ = logarithmic;
    update();
}

double HistogramView::edge(size_t bar) const {
    const double share = static_cast<double>(bar) / static_cast<double>(counts_.size());
    return bar == counts_.size() ? maximum_ : minimum_ + share * (maximum_ - minimum_);
}

QString HistogramView::description() const {
    if (counts_.empty()) return tr("No values.");
    const auto most = std::max_element(counts_.begin(), counts_.end());
    const auto bar = static_cast<size_t>(most - counts_.begin());
    const int64_t all = std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
    return tr("%1 values from %2 to %3; most of them, %4, between %5 and %6.")
        .arg(integerText(all), decimalText(minimum_, 'g', 4), decimalText(maximum_, 'g', 4),
             integerText(*most), decimalText(edge(bar), 'g', 4),
             decimalText(edge(bar + 1), 'g', 4));
}

ValueTable* HistogramView::fillTable() {
    std::vector<ValueTable::Row> rows;
    for (size_t i = 0; i < counts_.size(); ++i)
        rows.push_back({edge(i), edge(i + 1), static_cast<qlonglong>(counts_[i])});
    table_->setContent({tr("From"), tr("To"), tr("Values")}, std::move(rows));
    return table_;
}

void HistogramView::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    files_->fillMenu(*menu);
    menu->popup(event->globalPos());
}

void HistogramView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint(painter);
}

void HistogramView::paint(QPainter& painter) const {
    if (counts_.empty()) return;
    const Colors& colors = colorsOf(palette());
    const double caption = em(this, 1.2);
    const auto heightOf = [this](int64_t count) {
        return logarithmic_ ? std::log1p(static_cast<double>(count)) : static_cast<double>(count);
    };
    const double highest =
        heightOf(std::max<int64_t>(1, *std::max_element(counts_.begin(), counts_.end())));
    const double bar = width() / static_cast<double>(counts_.size());
    for (size_t i = 0; i < counts_.size(); ++i) {
        const double tall = (height() - caption - 2) * heightOf(counts_[i]) / highest;
        painter.fillRect(QRectF(bar * static_cast<double>(i), height() - caption - tall,
                                std::max(1.0, bar - 1), tall),
                         colors.series[0]);
    }
    painter.setPen(colors.muted);
    const QRectF below(0, height() - caption, width(), caption);
    painter.drawText(below, Qt::AlignLeft | Qt::AlignBottom, decimalText(minimum_, 'g', 4));
    painter.drawText(below, Qt::AlignRight | Qt::AlignBottom, decimalText(maximum_, 'g', 4));
}

}  // namespace temper::ui
