// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QToolButton>
#include <algorithm>
#include <thread>

#include "ui/explain/explain.h"
#include "ui/panels/objective/metric_ticks.h"
#include "ui/panels/objective/run_form.h"
#include "ui/project/studio_project.h"
#include "ui/widgets/fold.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr double kMostSteps = 1e9;
constexpr double kMostKept = 1e6;
constexpr double kMostThreads = 1024;

/// `usual`: metrics that are measured without a choice, too.
int setCount(const RunSpec& run, const std::vector<std::string>& usual) {
    const RunSpec standard;
    const bool choosesMetrics = !run.metrics.empty() && run.metrics != usual;
    return (run.steps != standard.steps) + (run.evaluateEvery != standard.evaluateEvery) +
           (run.evaluateAverage != standard.evaluateAverage) + choosesMetrics +
           (run.saveEvery != standard.saveEvery) + (run.saveOnPause != standard.saveOnPause) +
           (run.keepBest != standard.keepBest) + (run.divergenceGuard != standard.divergenceGuard) +
           (run.threads != standard.threads);
}

}  // namespace

void RunForm::addMore() {
    auto* content = new QWidget(this);
    more_ = new Fold(tr("More settings"), content, this);
    more_->button()->setObjectName(QStringLiteral("moreRunSettings"));
    layout_->addRow(more_);
    layout_ = new QFormLayout(content);
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addIntervals();
    addKeeping();
    addDivergenceGuard();
    addAverageSwitch();
    addMetrics();
    addThreads();
    fields_.push_back([this](const RunSpec& run) { countMore(run); });
}

/// What is set stays known while it can't be seen.
void RunForm::countMore(const RunSpec& run) {
    const auto& preparation = project_.preparation();
    const int count =
        setCount(run, preparation ? preparation->usualMetrics : std::vector<std::string>{});
    more_->setTitle(count == 0 ? tr("More settings")
                               : tr("More settings (%Ln set)", nullptr, count));
}

void RunForm::addIntervals() {
    addNumber(
        "step", tr("Steps"),
        tr("Steps of the optimizer that the run takes, whatever the epochs; 0: as many as the "
           "epochs have."),
        true, 0, kMostSteps, [](const RunSpec& run) { return static_cast<double>(run.steps); },
        [](RunSpec& run, double value) { run.steps = static_cast<int64_t>(value); });
    addNumber(
        "validation", tr("Steps between evaluations"),
        tr("From one evaluation to the next, in steps of the optimizer; 0: at the end of each "
           "epoch."),
        true, 0, kMostSteps,
        [](const RunSpec& run) { return static_cast<double>(run.evaluateEvery); },
        [](RunSpec& run, double value) { run.evaluateEvery = static_cast<int64_t>(value); });
    addNumber(
        "checkpoint", tr("Steps between checkpoints"),
        tr("From one checkpoint to the next, in steps of the optimizer; 0: at the end of each "
           "epoch."),
        true, 0, kMostSteps, [](const RunSpec& run) { return static_cast<double>(run.saveEvery); },
        [](RunSpec& run, double value) { run.saveEvery = static_cast<int64_t>(value); });
}

void RunForm::addKeeping() {
    addNumber(
        "checkpoint", tr("Best checkpoints kept"),
        tr("How many of the best evaluations keep their checkpoint, as best-STEP.ckpt. With 1 it "
           "is "
           "best.ckpt."),
        true, 1, kMostKept, [](const RunSpec& run) { return static_cast<double>(run.keepBest); },
        [](RunSpec& run, double value) { run.keepBest = static_cast<int64_t>(value); });
    addSwitch("checkpoint", tr("At each pause"), tr("save a checkpoint"),
              tr("Where a run is paused its state is written to pause-STEP.ckpt."),
              QStringLiteral("saveOnPause"), &RunSpec::saveOnPause);
}

void RunForm::addDivergenceGuard() {
    addSwitch("R002", tr("Runaway loss"), tr("ends the run"),
              tr("The run ends where the smoothed loss stays far above where it began, or has lost "
                 "all that was learned, and offers to go back. NaN and infinity always end it."),
              QStringLiteral("divergenceGuard"), &RunSpec::divergenceGuard);
}

void RunForm::addSwitch(const char* term, const QString& label, const QString& text,
                        const QString& help, const QString& name, bool RunSpec::*choice) {
    auto* box = explain(new QCheckBox(text, this), term);
    box->setObjectName(name);
    addRow(label, help, box);
    box->setToolTip(help);
    const QString whole = tr("%1 %2").arg(label, text);
    box->setAccessibleName(whole);
    connect(box, &QCheckBox::clicked, this, [this, whole, choice](bool on) {
        TrainingSpec spec = project_.spec();
        spec.run.*choice = on;
        project_.edit(tr("Change “%1”").arg(whole), spec);
    });
    fields_.push_back([box, choice](const RunSpec& run) { box->setChecked(run.*choice); });
}

/// Without an average there is nothing to look at; what was switched on can always be taken back.
void RunForm::addAverageSwitch() {
    auto* box = explain(new QCheckBox(tr("the average of the weights"), this), "ema");
    box->setObjectName(QStringLiteral("evaluateAverage"));
    addRow(tr("Evaluate"),
           tr("Evaluations look at the average of the weights in place of the weights. It needs a "
              "decay above 0 in “Average of the weights”."),
           box);
    box->setToolTip(box->accessibleDescription());
    box->setAccessibleName(tr("Evaluate the average of the weights"));
    connect(box, &QCheckBox::clicked, this, [this](bool on) {
        TrainingSpec spec = project_.spec();
        spec.run.evaluateAverage = on;
        project_.edit(on ? tr("Evaluate the average of the weights") : tr("Evaluate the weights"),
                      spec);
    });
    fields_.push_back([box](const RunSpec& run) {
        box->setChecked(run.evaluateAverage);
        box->setEnabled(run.averageDecay > 0 || run.evaluateAverage);
    });
}

void RunForm::addMetrics() {
    auto* ticks = explain(new MetricTicks(this), "accuracy");
    ticks->setObjectName(QStringLiteral("metrics"));
    QLabel* caption = addRow(tr("Metrics"), tr("What evaluations measure beside the loss."), ticks);
    caption->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    connect(ticks, &MetricTicks::edited, this, [this](const std::vector<std::string>& chosen) {
        TrainingSpec spec = project_.spec();
        spec.run.metrics = chosen;
        project_.edit(tr("Change the metrics"), spec);
        refresh();  // also where the last tick was taken, which changes nothing
    });
    fields_.push_back([this, ticks](const RunSpec& run) {
        const auto& preparation = project_.preparation();
        const std::vector<std::string> none;
        ticks->show(preparation ? preparation->metrics : none,
                    preparation ? preparation->usualMetrics : none, run.metrics);
    });
}

void RunForm::addThreads() {
    const auto cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    addNumber(
        "run", tr("Threads"),
        tr("Threads that compute; 0: one per core, %Ln here. The numbers do not depend on them.",
           nullptr, cores),
        true, 0, kMostThreads, [](const RunSpec& run) { return static_cast<double>(run.threads); },
        [](RunSpec& run, double value) { run.threads = static_cast<int>(value); });
}

}  // namespace temper::ui
