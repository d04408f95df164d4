// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/steering_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QSlider>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ui/document/studio_project.h"
#include "ui/explain/explain.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/action_button.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int kSettleMs = 200;
/// The slider spans powers of ten, in hundredths.
constexpr int kLowest = -800;
constexpr int kHighest = 200;
constexpr int kMaxSmooth = 999;  ///< thousandths

/// Steps per second that people can follow; the last stop is full speed.
constexpr std::array kPaces = {1, 2, 5, 10, 20, 50, 100, 0};

int sliderOf(double rate) {
    if (!(rate > 0)) return kLowest;
    return std::clamp(static_cast<int>(std::lround(100 * std::log10(rate))), kLowest, kHighest);
}

/// Two digits, the usual precision of rates.
double rateOf(int slider) {
    return QString::number(std::pow(10, slider / 100.0), 'g', 2).toDouble();
}

}  // namespace

SteeringBar::SteeringBar(const PanelContext& context, QWidget* parent)
    : QWidget(parent), context_(context) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(em(this, 1.5));
    row->addWidget(buildRate(), 3);
    row->addWidget(buildSmoothing(), 2);
    row->addWidget(buildPace(), 1);
    settle_.setSingleShot(true);
    settle_.setInterval(kSettleMs);
    connect(&settle_, &QTimer::timeout, this, [this] { setRate(rateOf(rateSlider_->value())); });
    connect(&context_.run, &RunModel::updated, this, &SteeringBar::refresh);
    connect(&context_.run, &RunModel::stateChanged, this, &SteeringBar::refresh);
    connect(&context_.project, &StudioProject::specChanged, this, &SteeringBar::refresh);
    connect(&context_.project, &StudioProject::modelChanged, this, &SteeringBar::refresh);
    refresh();
}

QWidget* SteeringBar::buildRate() {
    auto* pane = explain(new QWidget(this), "learning-rate");
    auto* row = new QHBoxLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(tr("Learning &rate"), pane);
    rate_ = new NumberEdit(NumberEdit::Kind::Real, 0, std::numeric_limits<float>::max(), pane);
    rate_->setObjectName(QStringLiteral("liveRate"));
    rate_->setAccessibleName(tr("Learning rate"));
    rate_->setFixedWidth(em(this, 5));
    label->setBuddy(rate_);
    rateSlider_ = new QSlider(Qt::Horizontal, pane);
    rateSlider_->setObjectName(QStringLiteral("liveRateSlider"));
    rateSlider_->setRange(kLowest, kHighest);
    rateSlider_->setPageStep(100);
    rateSlider_->setSingleStep(10);
    rateSlider_->setAccessibleName(tr("Learning rate, by powers of ten"));
    auto* follow = new ActionButton(context_.training.followSchedule(), false, pane);
    follow->setObjectName(QStringLiteral("followScheduleButton"));
    row->addWidget(label);
    row->addWidget(rate_);
    rateSlider_->setMinimumWidth(em(this, 4));
    row->addWidget(rateSlider_, 1);
    row->addWidget(follow);
    // Shown only while it has an effect: the slider needs the room.
    const QAction* action = context_.training.followSchedule();
    const auto show = [follow, action] { follow->setVisible(action->isEnabled()); };
    connect(action, &QAction::changed, follow, show);
    show();
    connect(rate_, &NumberEdit::valueEdited, this, &SteeringBar::setRate);
    connect(rateSlider_, &QSlider::valueChanged, &settle_, qOverload<>(&QTimer::start));
    return pane;
}

QWidget* SteeringBar::buildSmoothing() {
    auto* pane = explain(new QWidget(this), "smoothing");
    auto* row = new QHBoxLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(tr("S&moothing"), pane);
    smoothing_ = new QSlider(Qt::Horizontal, pane);
    smoothing_->setObjectName(QStringLiteral("smoothingSlider"));
    smoothing_->setRange(0, kMaxSmooth);
    smoothing_->setPageStep(100);
    smoothing_->setSingleStep(10);
    smoothing_->setValue(static_cast<int>(std::lround(1000 * context_.run.smoothing())));
    smoothing_->setAccessibleName(tr("Smoothing of the curves"));
    label->setBuddy(smoothing_);
    smoothingText_ = makeLabel({}, "muted", pane);
    smoothingText_->setMinimumWidth(smoothingText_->fontMetrics().horizontalAdvance("0.000"));
    row->addWidget(label);
    row->addWidget(smoothing_, 1);
    row->addWidget(smoothingText_);
    connect(smoothing_, &QSlider::valueChanged, this,
            [this](int value) { context_.run.setSmoothing(value / 1000.0); });
    return pane;
}

QWidget* SteeringBar::buildPace() {
    auto* pane = explain(new QWidget(this), "step");
    auto* row = new QHBoxLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    auto* label = new QLabel(tr("Spee&d"), pane);
    pace_ = new QSlider(Qt::Horizontal, pane);
    pace_->setObjectName(QStringLiteral("paceSlider"));
    pace_->setRange(0, static_cast<int>(kPaces.size()) - 1);
    pace_->setPageStep(1);
    pace_->setAccessibleName(tr("Steps per second"));
    pace_->setToolTip(
        tr("Slows training down, so that you can watch it. The results are the same."));
    pace_->setMinimumWidth(em(this, 4));
    label->setBuddy(pace_);
    paceText_ = makeLabel({}, "muted", pane);
    paceText_->setMinimumWidth(paceText_->fontMetrics().horizontalAdvance(tr("%1/s").arg(100)));
    row->addWidget(label);
    row->addWidget(pace_, 1);
    row->addWidget(paceText_);
    const auto now = std::ranges::find(kPaces, static_cast<int>(context_.controller.pace()));
    pace_->setValue(static_cast<int>(now - kPaces.begin()));
    setPace(pace_->value());
    connect(pace_, &QSlider::valueChanged, this, &SteeringBar::setPace);
    return pane;
}

void SteeringBar::setPace(int stop) {
    const int steps = kPaces[static_cast<size_t>(stop)];
    paceText_->setText(steps == 0 ? tr("full") : tr("%1/s").arg(steps));
    context_.controller.setPace(steps);
}

double SteeringBar::currentRate() const {
    const auto& step = context_.run.lastStep();
    return context_.run.isActive() && step ? step->learningRate
                                           : context_.project.spec().run.learningRate;
}

void SteeringBar::showRate(double rate) {
    if (!rate_->hasFocus() || !context_.run.isActive()) rate_->setValue(rate);
    if (rateSlider_->isSliderDown() || settle_.isActive()) return;
    const QSignalBlocker blocker(rateSlider_);
    rateSlider_->setValue(sliderOf(rate));
}

void SteeringBar::refresh() {
    setEnabled(context_.project.model() != nullptr);
    showRate(currentRate());
    const QSignalBlocker blocker(smoothing_);
    smoothing_->setValue(static_cast<int>(std::lround(1000 * context_.run.smoothing())));
    smoothingText_->setText(decimalText(context_.run.smoothing(), 'f', 3));
}

/// Sets the rate of an active run; else that of the project, undoably.
void SteeringBar::setRate(double rate) {
    if (context_.run.isActive()) return context_.controller.setLearningRate(rate);
    TrainingSpec spec = context_.project.spec();
    spec.run.learningRate = rate;
    context_.project.edit(tr("Change learning rate"), spec);
}

}  // namespace temper::ui
