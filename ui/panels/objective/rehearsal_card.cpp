// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/rehearsal_card.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/document/studio_project.h"
#include "ui/panels/model/node_model.h"
#include "ui/plots/xy_plot.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/fold.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kGigabyte = 1024.0 * 1024 * 1024;
constexpr double kMinLimit = 1e-3;
constexpr double kMaxLimit = 1e6;
constexpr double kMinProposal = 0.5;  // and the step of larger ones
/// The highest shown loss, relative to that at the start: how much larger those of rates that are
/// too large become says nothing.
constexpr double kShownRise = 1.4;

/// The largest loss in the first quarter of the steps, whose rates are too small to change it.
double lossAtStart(const std::vector<LrRangePoint>& points) {
    double loss = 0;
    for (size_t i = 0; i < (points.size() + 3) / 4; ++i) loss = std::max(loss, points[i].smoothed);
    return loss;
}

}  // namespace

RehearsalCard::RehearsalCard(StudioProject& project, QWidget* parent)
    : QFrame(parent), project_(project) {
    QVBoxLayout* layout = makeCardLayout(this);
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
    layout->addWidget(buildBatch());
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
    plot_ = new XyPlot(tr("Loss while the rate grows"), tr("Learning rate"), tr("Loss"), this);
    plot_->setObjectName(QStringLiteral("rateRange"));
    plot_->setLogarithmicX();
    plot_->setFixedHeight(em(this, 15));
    layout->addWidget(plot_);
    layout->addStretch(1);
    connect(use_, &QPushButton::clicked, this, &RehearsalCard::useSuggestion);
    buttons_ = {{find_, estimate_, findBatch_}, cancel_};
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

QWidget* RehearsalCard::buildBatch() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    findBatch_ = new QPushButton(tr("Find the largest batch"), box);
    findBatch_->setObjectName(QStringLiteral("findBatch"));
    row->addWidget(findBatch_, 0, Qt::AlignTop);
    row->addWidget(buildLimit(box), 1, Qt::AlignTop);
    column->addLayout(row);
    auto* result = new QHBoxLayout;
    batch_ = makeLabel({}, "", box);
    batch_->setObjectName(QStringLiteral("largestBatch"));
    batch_->setWordWrap(true);
    useBatch_ = new QPushButton(tr("Use it"), box);
    useBatch_->setObjectName(QStringLiteral("useBatch"));
    useBatch_->setAccessibleName(tr("Use the largest batch"));
    result->addWidget(batch_, 1);
    result->addWidget(useBatch_);
    column->addLayout(result);
    connect(findBatch_, &QPushButton::clicked, this, &RehearsalCard::findBatch);
    connect(useBatch_, &QPushButton::clicked, this, &RehearsalCard::useBatch);
    return box;
}

QWidget* RehearsalCard::buildLimit(QWidget* box) {
    auto* content = new QWidget(box);
    auto* form = new QFormLayout(content);
    form->setContentsMargins(0, 0, 0, 0);
    limit_ = new NumberEdit(NumberEdit::Kind::Real, kMinLimit, kMaxLimit, content);
    limit_->setObjectName(QStringLiteral("memoryLimit"));
    limit_->setAccessibleName(tr("Memory limit for training, in GB"));
    limit_->setMaximumWidth(em(this, 6));
    auto* caption = makeLabel(limit_->accessibleName(), "muted", content);
    caption->setBuddy(limit_);
    form->addRow(caption, limit_);
    limitFold_ = new Fold({}, content, box);
    limitFold_->button()->setObjectName(QStringLiteral("choice-memory"));
    connect(limit_, &NumberEdit::valueEdited, this, &RehearsalCard::showLimit);
    proposeLimit();
    return limitFold_;
}

/// Proposes the free memory, rounded down to a round number.
void RehearsalCard::proposeLimit() {
    try {
        const double free = static_cast<double>(availableMemory()) / kGigabyte;
        limit_->setValue(std::max(kMinProposal, std::floor(free / kMinProposal) * kMinProposal));
    } catch (const Error&) {
        limit_->setValue(1);
    }
    showLimit();
}

void RehearsalCard::showLimit() {
    limitFold_->setTitle(tr("that fits into %1 GB").arg(fieldText(limit_->value())));
}

void RehearsalCard::findBatch() {
    const RunRequest request = makeRunRequest(project_, true);
    const auto limit = static_cast<size_t>(limit_->value() * kGigabyte);
    task_ = project_.tasks()->run(
        tr("Looking for the largest batch"), tr("No batch size was found"),
        [request, limit](std::stop_token token) {
            const BatchMemory memory(*request.artifacts, request.ops, request.data, request.run);
            return findLargestBatch(memory, request.data.training->size(), limit,
                                    [&](int64_t) { return !token.stop_requested(); });
        },
        [this, limit](const LargestBatch& found) {
            finish();
            showBatch(found, limit);
        },
        [this](const Problem& problem) {
            finish();
            if (!problem.isCancelled) banner_->show(Banner::Kind::Bad, problem);
        });
    project_.tasks()->letCancel(task_);
    refresh();
}

void RehearsalCard::showBatch(const LargestBatch& found, size_t limit) {
    largest_ = found.batchSize;
    const QString size = QLocale().toString(static_cast<qlonglong>(largest_));
    if (largest_ == 0) {
        batch_->setText(tr("Not even one sample fits into %1: it takes %2.")
                            .arg(bytesText(limit), bytesText(found.bytes)));
    } else if (found.isAllSamples) {
        batch_->setText(tr("All %1 training samples fit into one batch: it takes %2.")
                            .arg(size, bytesText(found.bytes)));
    } else {
        batch_->setText(tr("Batches of up to %1 fit into %2: they take %3.")
                            .arg(size, bytesText(limit), bytesText(found.bytes)));
    }
    batch_->show();
    useBatch_->setVisible(largest_ > 0 && largest_ != project_.spec().run.batchSize);
}

void RehearsalCard::useBatch() {
    TrainingSpec spec = project_.spec();
    spec.run.batchSize = largest_;
    project_.edit(tr("Use the largest batch"), spec);
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
            if (!problem.isCancelled) banner_->show(Banner::Kind::Bad, problem);
        });
    project_.tasks()->letCancel(task_);
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
            if (!problem.isCancelled) banner_->show(Banner::Kind::Bad, problem);
        });
    project_.tasks()->letCancel(task_);
    refresh();
}

void RehearsalCard::showRange(const LrRange& range) {
    // The search is less precise than two digits.
    suggested_ = QString::number(range.suggested, 'g', 2).toDouble();
    drawRange(range);
    suggestion_->show();
    if (suggested_ <= 0 || range.points.empty()) {
        return suggestion_->setText(
            tr("The loss did not fall at any rate. Check the data and the loss first."));
    }
    suggestion_->setText(tr("Tried from %1 to %2 in %n steps: a good learning rate is about %3.",
                            nullptr, static_cast<int>(range.points.size()))
                             .arg(fieldText(range.points.front().rate),
                                  decimalText(range.points.back().rate, 'g', 2))
                             .arg(fieldText(suggested_)));
    use_->show();
}

void RehearsalCard::drawRange(const LrRange& range) {
    std::vector<QPointF> raw, smoothed;
    double lowest = 0, highest = 0;
    for (const LrRangePoint& point : range.points) {
        raw.emplace_back(point.rate, point.loss);
        smoothed.emplace_back(point.rate, point.smoothed);
        lowest = std::min(lowest, point.smoothed);
        highest = std::max(highest, point.smoothed);
    }
    if (const double start = lossAtStart(range.points); start > 0) highest = kShownRise * start;
    if (highest > lowest) plot_->setYRange(lowest, highest);
    // At low rates, the loss stays above the legend.
    const bool isLeft = !raw.empty() && suggested_ * suggested_ < raw.front().x() * raw.back().x();
    plot_->setLegendCorner(Qt::AlignBottom | (isLeft ? Qt::AlignRight : Qt::AlignLeft));
    plot_->clear();
    plot_->addSeries(tr("Batch"), XyStyle::Points, 1, raw);
    plot_->addSeries(tr("Smoothed"), XyStyle::Line, 0, smoothed);
    if (suggested_ > 0)
        plot_->addSeries(tr("Suggested: %1").arg(fieldText(suggested_)), XyStyle::Reference, 0,
                         {{suggested_, lowest}, {suggested_, highest}});
    plot_->refresh();
    plot_->show();
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
    largest_ = 0;
    for (QWidget* part : {static_cast<QWidget*>(plot_), static_cast<QWidget*>(use_),
                          static_cast<QWidget*>(suggestion_), static_cast<QWidget*>(facts_),
                          static_cast<QWidget*>(batch_), static_cast<QWidget*>(useBatch_)}) {
        part->hide();
    }
    banner_->hide();
    refresh();
}

void RehearsalCard::finish() {
    task_ = 0;
    refresh();
}

void RehearsalCard::refresh() { buttons_.refresh(project_.isReadyToTrain(), task_ != 0); }

}  // namespace temper::ui
