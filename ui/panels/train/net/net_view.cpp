// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/net/net_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/document/studio_project.h"
#include "ui/messages/problem.h"
#include "ui/panels/train/net/net_canvas.h"
#include "ui/panels/train/net/net_follower.h"
#include "ui/panels/train/net/stepper.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int64_t kMaxEditedUnits = 64;
constexpr size_t kMaxEditedLayers = 6;
constexpr int64_t kFirstUnits = 4;  ///< of the first hidden layer

}  // namespace

NetView::NetView(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      follower_(new NetFollower(context, this)),
      canvas_(new NetCanvas(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, em(this, 0.5), 0, 0);
    column->setSpacing(em(this, 0.4));
    column->addWidget(buildBar());
    canvas_->setObjectName(QStringLiteral("netCanvas"));
    canvas_->setAccessibleName(tr("Units of the net"));
    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(canvas_->accessibleName());
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(canvas_);
    column->addWidget(scroll, 1);
    legend_ = makeLabel({}, "muted", this);
    legend_->setObjectName(QStringLiteral("netLegend"));
    legend_->setWordWrap(true);
    column->addWidget(legend_);
    outputs_ = makeLabel(tr("Output"), "", canvas_);
    outputs_->setAlignment(Qt::AlignCenter);
    outputs_->hide();
    connect(canvas_, &NetCanvas::laidOut, this, &NetView::placeSteppers);
    connect(follower_, &NetFollower::looked, this, &NetView::refresh);
    connect(follower_, &NetFollower::failed, this, &NetView::failed);
    connect(&context_.run, &RunModel::stateChanged, this, &NetView::refreshSteppers);
    refresh();
}

QWidget* NetView::buildBar() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    layers_ = new Stepper(tr("Remove the last hidden layer"), tr("Add a hidden layer"), bar);
    layers_->setObjectName(QStringLiteral("netLayers"));
    connect(layers_, &Stepper::stepped, this, &NetView::changeLayers);
    row->addWidget(layers_);
    row->addStretch(1);
    return bar;
}

void NetView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follower_->setWatched(true);
}

void NetView::hideEvent(QHideEvent* event) {
    follower_->setWatched(false);
    QWidget::hideEvent(event);
}

void NetView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) follower_->markStale();
}

void NetView::refresh() {
    const auto& net = follower_->net();
    if (std::exchange(generation_, context_.project.generation()) != context_.project.generation())
        unitsInFile_.reset();
    if (net && !context_.project.spec().hiddenUnits && !context_.project.isPreparing())
        unitsInFile_ = net->units;
    if (canvas_->look() != follower_->latest()) canvas_->setLook(follower_->latest());
    refreshSteppers();
    legend_->setText(legendText());
    canvas_->setAccessibleDescription(description());
}

void NetView::makeSteppers(size_t layers) {
    while (units_.size() > layers) {
        delete units_.back();
        units_.pop_back();
    }
    while (units_.size() < layers) {
        const size_t layer = units_.size();
        const auto number = static_cast<int>(layer) + 1;
        auto* stepper = new Stepper(tr("Remove a unit from hidden layer %1").arg(number),
                                    tr("Add a unit to hidden layer %1").arg(number), canvas_);
        stepper->setObjectName(QStringLiteral("netUnits%1").arg(number));
        connect(stepper, &Stepper::stepped, this,
                [this, layer](int by) { changeUnits(layer, by); });
        stepper->show();
        units_.push_back(stepper);
    }
}

/// A net that is being changed shows its new numbers at once, its units a moment later.
void NetView::refreshSteppers() {
    const auto& net = follower_->net();
    const std::vector<int64_t> units = this->units();
    const auto& look = follower_->latest();
    makeSteppers(look ? look->layers.size() - 1 : 0);
    const bool canChange = net && !context_.run.isActive();
    const QString obstacle =
        context_.run.isActive() ? tr("Stop the run to change the layers.") : QString();
    layers_->setText(tr("%Ln hidden layers", nullptr, static_cast<int>(units.size())));
    layers_->setEnabled(canChange && !units.empty(), canChange && units.size() < kMaxEditedLayers);
    layers_->setObstacle(obstacle);
    for (size_t layer = 0; layer < units_.size(); ++layer) {
        const int64_t count = layer < units.size() ? units[layer] : 0;
        units_[layer]->setText(tr("%Ln units", nullptr, static_cast<int>(count)));
        units_[layer]->setEnabled(canChange && count > 1,
                                  canChange && count > 0 && count < kMaxEditedUnits);
        units_[layer]->setObstacle(obstacle);
    }
    placeSteppers();
}

void NetView::placeSteppers() {
    const std::vector<QRect> titles = canvas_->titleRects();
    outputs_->setVisible(!titles.empty());
    if (titles.empty()) return;
    outputs_->setGeometry(titles.back());
    for (size_t layer = 0; layer < units_.size() && layer + 1 < titles.size(); ++layer) {
        QRect place({}, units_[layer]->sizeHint());
        place.moveCenter(titles[layer + 1].center());
        units_[layer]->setGeometry(place);
    }
}

std::vector<int64_t> NetView::units() const {
    const auto& net = follower_->net();
    if (!net) return {};
    return context_.project.spec().hiddenUnits.value_or(net->units);
}

void NetView::changeLayers(int by) {
    if (!follower_->net()) return;
    std::vector<int64_t> units = this->units();
    if (by < 0 && !units.empty()) units.pop_back();
    if (by > 0)
        units.push_back(units.empty() ? kFirstUnits : std::min(units.back(), kMaxEditedUnits));
    setUnits(std::move(units));
}

void NetView::changeUnits(size_t layer, int by) {
    std::vector<int64_t> units = this->units();
    if (layer >= units.size()) return;
    units[layer] = std::max<int64_t>(1, units[layer] + by);
    setUnits(std::move(units));
}

void NetView::setUnits(std::vector<int64_t> units) {
    TrainingSpec spec = context_.project.spec();
    const bool isAsInFile = unitsInFile_ && units == *unitsInFile_;
    spec.hiddenUnits = isAsInFile ? HiddenUnits() : HiddenUnits(std::move(units));
    context_.project.edit(tr("Hidden layers"), spec);
    refreshSteppers();
}

QString NetView::legendText() const {
    const auto& look = follower_->latest();
    if (!look) return {};
    const QString lines =
        tr("Lines are weights: blue is positive, orange negative; the thicker, "
           "the larger.");
    switch (look->data->picture) {
        case ResponsePicture::Curve:
            return tr("Each tile shows a unit's response over the range of the input.") +
                   QLatin1Char(' ') + lines;
        case ResponsePicture::Plane:
            return tr("Each tile shows where in the plane a unit responds: blue where it is "
                      "positive, orange where it is negative.") +
                   QLatin1Char(' ') + lines;
        case ResponsePicture::Image:
            return tr("Each tile shows which pixels excite a unit: blue if bright ones do, orange "
                      "if dark ones do.") +
                   QLatin1Char(' ') + lines;
        case ResponsePicture::Profile:
            return tr("Each tile shows which inputs excite a unit: blue if large values do, orange "
                      "if small ones do.") +
                   QLatin1Char(' ') + lines;
    }
    return {};
}

QString NetView::description() const {
    const auto& look = follower_->latest();
    if (!look) return {};
    QStringList layers;
    for (size_t at = 0; at + 1 < look->layers.size(); ++at)
        layers << tr("hidden layer %1 with %Ln units", nullptr,
                     static_cast<int>(look->layers[at].units.size()))
                      .arg(at + 1);
    layers << tr("%Ln outputs", nullptr, static_cast<int>(look->layers.back().units.size()));
    return tr("After step %1: %2.").arg(integerText(look->step), layers.join(QStringLiteral(", ")));
}

}  // namespace temper::ui
