// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/plane/plane_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QTableView>

#include "ui/messages/problem.h"
#include "ui/panels/train/plane/plane_follower.h"
#include "ui/panels/train/plane/plane_report_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/filling_column.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kMarkerSize = 0.75;

}  // namespace

PlaneView::PlaneView(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      follower_(new PlaneFollower(context, this)),
      plot_(new PlanePlot(tr("Feature plane"), this)),
      report_(new PlaneReportModel(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, em(this, 0.5), 0, 0);
    row->setSpacing(em(this, 0.8));
    plot_->setObjectName(QStringLiteral("planePlot"));
    plot_->setPlaceholder(tr("The model's decisions appear here."));
    plot_->setPlaceText([this](double x, double y) { return placeText(x, y); });
    row->addWidget(plot_, 2);
    row->addWidget(buildSide(), 1);
    connect(follower_, &PlaneFollower::looked, this, &PlaneView::refresh);
    connect(follower_, &PlaneFollower::failed, this, &PlaneView::showFailure);
    connect(plot_, &PlanePlot::viewChanged, this, [this] {
        const PlaneRange seen = plot_->visibleRange();
        follower_->setRange(seen == plot_->fullRange() ? std::nullopt : std::optional(seen));
    });
    connect(plot_, &PlanePlot::saveFailed, this, [this](const QString& path, const QString& why) {
        emit failed({tr("%1 could not be saved").arg(path), why, {}});
    });
}

QWidget* PlaneView::buildSide() {
    auto* side = new QWidget(this);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    words_ = makeLabel({}, "", side);
    words_->setObjectName(QStringLiteral("planeWords"));
    words_->setWordWrap(true);
    words_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    words_->setAccessibleName(tr("Description of the plane"));
    column->addWidget(words_);
    report_->setMarkerSize(em(this, kMarkerSize));
    table_ = makeTable(report_, side);
    table_->setObjectName(QStringLiteral("planeTable"));
    table_->setAccessibleName(tr("Classes in the plane"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setMinimumWidth(em(this, 16));
    fillWithColumn(table_, PlaneReportModel::Name);
    column->addWidget(table_, 1);
    auto* legend = makeLabel(
        tr("The background shows what the model decides; the stronger the colour, the surer it is. "
           "Solid points are training samples, hollow ones validation samples."),
        "muted", side);
    legend->setWordWrap(true);
    column->addWidget(legend);
    return side;
}

void PlaneView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follower_->setWatched(true);
}

void PlaneView::hideEvent(QHideEvent* event) {
    follower_->setWatched(false);
    QWidget::hideEvent(event);
}

void PlaneView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        report_->setMarkerSize(em(this, kMarkerSize));
        report_->refreshMarkers();
    }
    QWidget::changeEvent(event);
}

void PlaneView::refresh() {
    const auto& look = follower_->latest();
    if (look) return showLook(*look);
    shownData_.reset();
    report_->setLook(nullptr);
    plot_->setSurface({});
    plot_->setPoints({});
    words_->clear();
}

void PlaneView::showLook(const PlaneLook& look) {
    if (shownData_ != look.data) {
        shownData_ = look.data;
        plot_->setAxes(look.data->axes[0], look.data->axes[1]);
        plot_->setFullRange(look.data->range);
        plot_->setClassColors(planeColors(look.classes));
        plot_->setPoints(look.points);
    }
    plot_->setSurface(look.surface);
    report_->setLook(follower_->latest());
    const QString words = description();
    if (words == words_->text()) return;
    words_->setText(words);
    plot_->setAccessibleDescription(words);
}

void PlaneView::showFailure(const Problem& problem) {
    plot_->setSurface({});
    plot_->setPlaceholder(problem.message);
    words_->setText(problem.message);
}

QString PlaneView::description() const {
    const auto& look = follower_->latest();
    if (!look) return {};
    const PlaneShare training = sumOf(look->training);
    const QString own =
        tr("After step %1, %2 of the %3 training samples are where the model predicts their class.")
            .arg(integerText(look->step), shareText(training), integerText(training.samples));
    const PlaneShare validation = sumOf(look->validation);
    if (validation.samples == 0) return own;
    return own + QLatin1Char(' ') +
           tr("Of the %1 validation samples, %2 are.")
               .arg(integerText(validation.samples), shareText(validation));
}

QString PlaneView::placeText(double x, double y) const {
    const auto& look = follower_->latest();
    if (!look) return {};
    const int cell = look->surface.cellAt(x, y);
    if (cell < 0) return {};
    const auto at = static_cast<size_t>(cell);
    const double said = double{look->said[at]};
    const QString answer = look->isOfNumbers ? decimalText(said, 'g', 3)
                                             : tr("%1, %2 %")
                                                   .arg(look->classes[look->surface.classes[at]],
                                                        decimalText(100 * said, 'f', 0));
    return tr("%1 %2, %3 %4: %5")
        .arg(look->data->axes[0], decimalText(x, 'g', 3), look->data->axes[1],
             decimalText(y, 'g', 3), answer);
}

}  // namespace temper::ui
