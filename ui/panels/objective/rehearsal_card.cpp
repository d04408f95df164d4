// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/rehearsal_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/panels/model/node_model.h"
#include "ui/plots/plot_view.h"
#include "ui/project/studio_project.h"
#include "ui/run/curve.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
RehearsalCard::RehearsalCard(StudioProject& project, QWidget* parent)
    : QFrame(parent), project_(project) {
    setProperty("card", true);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeLabel(tr("Try it first"), "heading", this));
    QLabel* what = makeLabel(tr("A few steps on a copy; the model stays as it is."), "muted", this);
    what->setWordWrap(true);
    layout->addWidget(what);
    banner_ = new Banner(this);
    layout->addWidget(banner_);
    layout->addWidget(buildButtons());
    facts_ = makeLabel({}, "", this);
    facts_->setObjectName(QStringLiteral("runEstimate"));
    facts_->setWordWrap(true);
    layout->addWidget(facts_);
    auto* row = new QHBoxLayout;
    suggestion_ = makeLabel({}, "", this);
    suggestion_->setObjectName(QStringLiteral("suggestedRate"));
    suggestion_->setWordWrap(true);
    use_ = new QPushButton(tr("Use it"), this);
    use_->setObjectName(QStringLiteral("useRate"));
    use_->setAccessibleName(tr("Use the suggested learning rate"));
    row->addWidget(suggestion_, 1);
    row->addWidget(use_);
    layout->addLayout(row);
    plot_ = new PlotView(tr("Loss while the rate grows"), this);
    plot_->setFixedHeight(em(this, 12));
    plot_->addSeries(tr("Batch"), SeriesStyle::Envelope, 0);
    plot_->addSeries(tr("Smoothed"), SeriesStyle::Line, 0);
    layout->addWidget(plot_);
    layout->addStretch(1);
    connect(use_, &QPushButton::clicked, this, &RehearsalCard::useSuggestion);
    connect(&project_, &StudioProject::preparationChanged, this, &RehearsalCard::forget);
    connect(&project_, &StudioProject::modelChanged, this, &RehearsalCard::forget);
    forget();
}

QWidget* RehearsalCard::buildButtons() {
    auto* bar = new QWidget(this);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    find_ = new QPushButton(tr("Find a learning rate"), bar);
    find_->setObjectName(QStringLiteral("findRate"));
    estimate_ = new QPushButton(tr("Estimate time and memory"), bar);
    estimate_->setObjectName(QStringLiteral("estimateRun"));
    cancel_ = new QPushButton(tr("Cancel"), bar);
    for (QPushButton* button : {find_, estimate_, cancel_}) row->addWidget(button);
    row->addStretch(1);
    connect(find_, &QPushButton::clicked, this, &RehearsalCard::findRate);
    connect(estimate_, &QPushButton::clicked, this, &RehearsalCard::estimate);
    connect(cancel_, &QPushButton::clicked, this, [this] {
        project_.tasks()->cancel(task_);
        finish();
    });
    return bar;
}

void RehearsalCard::findRate() {
    const RunRequest request = makeRunRequest(project_, true);
    task_ = project_.tasks()->run(
        tr("Looking for a learning rate"), tr("No learning rate was found"),
        [request](std::stop_token token) {
            return findLearningRate(*request.artifacts, request.ops, request.data, request.run, {},
                                    [&](const LrRangePoint&) { return !token.stop_requested(); });
        },
        [this](const LrRange& range) {
            finish();
            showRange(range);
        },
        [this](const Problem& problem) {
            finish();
            banner_->show(Banner::Kind::Bad, problem);
        });
    refresh();
}

void RehearsalCard::estimate() {
    const RunRequest request = makeRunRequest(project_, true);
    task_ = project_.tasks()->run(
        tr("Trying a few steps"), tr("The run could not be estimated"),
        [request](std::stop_token token) {
            return estimateRun(*request.artifacts, request.ops, request.data, request.run,
                               [&] { return token.stop_requested(); });
        },
        [this](const RunEstimate& found) {
            finish();
            showEstimate(found);
        },
        [this](const Problem& problem) {
            finish();
            banner_->show(Banner::Kind::Bad, problem);
        });
    refresh();
}

void RehearsalCard::showRange(const LrRange& range) {
    Curve raw, smoothed;
    for (size_t i = 0; i < range.points.size(); ++i) {
        raw.append(static_cast<double>(i + 1), range.points[i].loss);
        smoothed.append(static_cast<double>(i + 1), range.points[i].smoothed);
    }
    plot_->setCurve(0, raw);
    plot_->setCurve(1, smoothed);
    plot_->showEverything();
    plot_->show();
    suggested_ = range.suggested;
    suggestion_->show();
    if (suggested_ <= 0 || range.points.empty()) {
        return suggestion_->setText(
            tr("The loss did not fall at any rate. Look at the data and the loss first."));
    }
    // Two digits are more than such a search knows.
    suggested_ = QString::number(suggested_, 'g', 2).toDouble();
    suggestion_->setText(tr("From %1 to %2 in %n steps, the loss falls best at about %3.", nullptr,
                            static_cast<int>(range.points.size()))
                             .arg(numberText(range.points.front().rate),
                                  decimalText(range.points.back().rate, 'g', 2))
                             .arg(numberText(suggested_)));
    use_->show();
}

void RehearsalCard::showEstimate(const RunEstimate& found) {
    facts_->setText(
        tr("About %1 for %2 steps of %3 ms each, without evaluations. Memory: %4 for activations "
           "and scratch, %5 for parameters, gradients and optimizer.")
            .arg(durationText(found.totalSeconds()),
                 QLocale().toString(static_cast<qlonglong>(found.totalSteps)))
            .arg(decimalText(found.stepSeconds * 1000, 'g', 3))
            .arg(bytesText(found.memory.arenaBytes), bytesText(found.memory.parameterBytes)));
    facts_->show();
}

void RehearsalCard::useSuggestion() {
    TrainingSpec spec = project_.spec();
    spec.run.learningRate = suggested_;
    project_.edit(tr("Use the suggested learning rate"), spec);
}

void RehearsalCard::forget() {
    if (task_ != 0) project_.tasks()->cancel(task_);
    task_ = 0;
    suggested_ = 0;
    for (QWidget* part : {static_cast<QWidget*>(plot_), static_cast<QWidget*>(use_),
                          static_cast<QWidget*>(suggestion_), static_cast<QWidget*>(facts_)}) {
        part->hide();
    }
    banner_->hide();
    refresh();
}

void RehearsalCard::finish() {
    task_ = 0;
    refresh();
}

void RehearsalCard::refresh() {
    const bool ready = task_ == 0 && project_.isReadyToTrain();
    find_->setEnabled(ready);
    estimate_->setEnabled(ready);
    cancel_->setVisible(task_ != 0);
}

}  // namespace temper::ui
