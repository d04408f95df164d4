// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/soundness_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/document/studio_project.h"
#include "ui/plots/plot_view.h"
#include "ui/run/curve.h"
#include "ui/run/run_request.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// As on the command line: float32 gradients are accurate to about 1e-5 of their typical element.
constexpr double kTolerance = 1e-3;
/// A loss that falls by less over all steps counts as hardly falling.
constexpr double kSlow = 0.7;

}  // namespace

SoundnessCard::SoundnessCard(StudioProject& project, QWidget* parent)
    : QFrame(parent), project_(project) {
    QVBoxLayout* layout = makeCardLayout(this);
    layout->addWidget(makeLabel(tr("Does it learn at all?"), "heading", this));
    QLabel* what =
        makeLabel(tr("A model that can't memorize one batch will not learn all the data either."),
                  "muted", this);
    what->setWordWrap(true);
    layout->addWidget(what);
    banner_ = new Banner(this);
    layout->addWidget(banner_);
    layout->addWidget(buildButtons());
    learned_ = makeLabel({}, "", this);
    learned_->setObjectName(QStringLiteral("oneBatch"));
    checked_ = makeLabel({}, "", this);
    checked_->setObjectName(QStringLiteral("gradientCheck"));
    for (QLabel* label : {learned_, checked_}) {
        label->setWordWrap(true);
        layout->addWidget(label);
    }
    plot_ = new PlotView(tr("Loss of one batch"), this);
    plot_->setFixedHeight(em(this, 10));
    plot_->addSeries(tr("Loss"), SeriesStyle::Line, 0);
    layout->addWidget(plot_);
    layout->addStretch(1);
    buttons_ = {{learn_, check_}, cancel_};
    connect(&project_, &StudioProject::preparationChanged, this, &SoundnessCard::forget);
    connect(&project_, &StudioProject::modelChanged, this, &SoundnessCard::forget);
    // The rate, the batch size and the seed also matter.
    connect(&project_, &StudioProject::specChanged, this, &SoundnessCard::forget);
    forget();
}

QWidget* SoundnessCard::buildButtons() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    learn_ = new QPushButton(tr("Learn one batch"), bar);
    learn_->setObjectName(QStringLiteral("learnBatch"));
    check_ = new QPushButton(tr("Check the gradients"), bar);
    check_->setObjectName(QStringLiteral("checkGradients"));
    cancel_ = new QPushButton(tr("Cancel"), bar);
    cancel_->setObjectName(QStringLiteral("cancelChecks"));
    for (QPushButton* button : {learn_, check_, cancel_}) row->addWidget(button);
    row->addStretch(1);
    connect(learn_, &QPushButton::clicked, this, &SoundnessCard::learnBatch);
    connect(check_, &QPushButton::clicked, this, &SoundnessCard::checkGradients);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        project_.tasks()->cancel(task_);
        finish();
    });
    return bar;
}

template <typename Result, typename Work, typename Show>
void SoundnessCard::start(const QString& title, const QString& failure, Work work, Show show) {
    banner_->hide();
    task_ = project_.tasks()->run(
        title, failure,
        [work, request = makeRunRequest(project_, true)](std::stop_token token) {
            return work(request, token);
        },
        [this, show](const Result& result) {
            finish();
            show(result);
        },
        [this](const Problem& problem) {
            finish();
            if (!problem.isCancelled) banner_->show(Banner::Kind::Bad, problem);
        });
    project_.tasks()->letCancel(task_);
    refresh();
}

void SoundnessCard::learnBatch() {
    start<OneBatch>(
        tr("Learning one batch"), tr("The batch could not be tried"),
        [](const RunRequest& request, const std::stop_token& token) {
            return learnOneBatch(*request.artifacts, request.ops, request.data, request.run, {},
                                 [&](double) { return !token.stop_requested(); });
        },
        [this](const OneBatch& learned) { showBatch(learned); });
}

void SoundnessCard::checkGradients() {
    const ArtifactPlan& plan = project_.preparation()->plan;
    start<std::vector<GradientCheck>>(
        tr("Checking the gradients"), tr("The gradients could not be checked"),
        [choices = GradientChoices{plan.straightThrough, plan.stopGradient}](
            const RunRequest& request, const std::stop_token& token) {
            return checkGradientsOfRun(*request.artifacts, request.ops, request.data, request.run,
                                       choices,
                                       [&](size_t, size_t) { return !token.stop_requested(); });
        },
        [this](const std::vector<GradientCheck>& checks) { showGradients(checks); });
}

void SoundnessCard::showBatch(const OneBatch& learned) {
    batch_ = learned;
    Curve curve;
    for (size_t i = 0; i < learned.losses.size(); ++i)
        curve.append(static_cast<double>(i + 1), learned.losses[i]);
    plot_->setCurve(0, curve);
    plot_->showEverything();
    plot_->setVisible(learned.losses.size() > 1);
    learned_->show();
    if (learned.losses.empty())
        return learned_->setText(
            tr("The first loss is not a number. Check the data for NaN, infinity or labels outside "
               "the classes."));
    const int steps = static_cast<int>(learned.losses.size());
    const QString first = decimalText(learned.losses.front(), 'g', 4);
    const QString least = decimalText(*std::ranges::min_element(learned.losses), 'g', 4);
    const QString fell =
        tr("In %Ln steps the loss of one batch fell from %1 to %2.", nullptr, steps)
            .arg(first, least);
    const QString verdict =
        learned.isLearned ? tr("It is learned by heart: model, labels and loss fit together.")
        : learned.reached() < kSlow
            ? tr("It learns, but slowly: try a higher learning rate or train more layers.")
            : tr("It hardly learns. Check the learning rate, what trains, the labels, and whether "
                 "the loss reads the right output.");
    learned_->setText(fell + ' ' + verdict);
}

void SoundnessCard::showGradients(std::vector<GradientCheck> checks) {
    gradients_ = std::move(checks);
    checked_->show();
    if (gradients_.empty()) return checked_->setText(tr("Nothing to train."));
    const auto wrong = static_cast<int>(std::ranges::count_if(
        gradients_, [](const GradientCheck& check) { return !check.passes(kTolerance); }));
    const auto failed = std::ranges::find_if_not(
        gradients_, [](const GradientCheck& check) { return check.passes(kTolerance); });
    const GradientCheck& worst = failed == gradients_.end() ? gradients_.front() : *failed;
    const bool isRounding = wrong > 0 && worst.maxRelativeError <= kTolerance;
    const QString error =
        decimalText(isRounding ? worst.roundingError : worst.maxRelativeError, 'g', 2);
    if (wrong == 0)
        return checked_->setText(tr("The gradients of %Ln parameters agree with finite differences "
                                    "of the loss; the largest relative error is %1.",
                                    nullptr, static_cast<int>(gradients_.size()))
                                     .arg(error));
    checked_->setText(tr("The gradients of %Ln parameters do not agree with finite differences of "
                         "the loss; the worst is %1 (relative error %2).",
                         nullptr, wrong)
                          .arg(text(worst.name), error));
}

void SoundnessCard::forget() {
    if (task_ != 0) project_.tasks()->cancel(task_);
    task_ = 0;
    batch_ = {};
    gradients_.clear();
    for (QWidget* part : {static_cast<QWidget*>(plot_), static_cast<QWidget*>(learned_),
                          static_cast<QWidget*>(checked_)})
        part->hide();
    banner_->hide();
    refresh();
}

void SoundnessCard::finish() {
    task_ = 0;
    refresh();
}

void SoundnessCard::refresh() { buttons_.refresh(project_.isReadyToTrain(), task_ != 0); }

}  // namespace temper::ui
