// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/run_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <algorithm>

#include "engine/training/session/training_session.h"
#include "ui/explain/explain.h"
#include "ui/project/studio_project.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/widgets/number_edit.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// Merges what is typed into one field; each field has its own number.
constexpr int kMergeBase = 100;

constexpr double kLargestCount = 1e9;
constexpr double kLeastMemoryShare = 0.01;
constexpr double kSecondsOfAMinute = 60;

}  // namespace

RunForm::RunForm(StudioProject& project, QWidget* parent)
    : QWidget(parent), project_(project), layout_(new QFormLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    addNumber(
        "epoch", tr("Epochs"), tr("How often every sample is seen."), true, 1, 1e6,
        [](const RunSpec& run) { return static_cast<double>(run.epochs); },
        [](RunSpec& run, double value) { run.epochs = static_cast<int64_t>(value); });
    addNumber(
        "batch", tr("Batch size"), tr("Samples whose gradients are averaged in one pass."), true, 1,
        1e6, [](const RunSpec& run) { return static_cast<double>(run.batchSize); },
        [](RunSpec& run, double value) { run.batchSize = static_cast<int64_t>(value); });
    addNumber(
        "learning-rate", tr("Learning rate"), tr("How far each step goes."), false, 0, 1e3,
        [](const RunSpec& run) { return run.learningRate; },
        [](RunSpec& run, double value) { run.learningRate = value; });
    addNumber(
        "accumulation", tr("Accumulate batches"),
        tr("Batches whose gradients are averaged before a step is taken."), true, 1, 1e6,
        [](const RunSpec& run) { return static_cast<double>(run.accumulate); },
        [](RunSpec& run, double value) { run.accumulate = static_cast<int64_t>(value); });
    addNumber(
        "clipping", tr("Clip gradient norm"),
        tr("Larger gradients are scaled down to it; 0 is off."), false, 0, kLargestCount,
        [](const RunSpec& run) { return run.clipNorm; },
        [](RunSpec& run, double value) { run.clipNorm = value; });
    addNumber(
        "clipping", tr("Clip gradients"),
        tr("Each number of the gradients is cut to it; 0 is off."), false, 0, kLargestCount,
        [](const RunSpec& run) { return run.clipValue; },
        [](RunSpec& run, double value) { run.clipValue = value; });
    addNumber(
        "ema", tr("Average of the weights"),
        tr("Decay of a moving average of the weights, such as 0.999; 0 is off."), false, 0,
        0.9999999, [](const RunSpec& run) { return run.averageDecay; },
        [](RunSpec& run, double value) { run.averageDecay = value; });
    addStopRules();
    addNumber(
        "seed", tr("Seed"), tr("The same seed gives the same curve."), true, 0, kLargestCount,
        [](const RunSpec& run) { return static_cast<double>(run.seed); },
        [](RunSpec& run, double value) { run.seed = static_cast<uint64_t>(value); });
    addPrecision();
    addNumber(
        "recompute", tr("Activation memory"),
        tr("The share of the memory for activations that is to do, up to 1. What is missing is "
           "computed again: slower, and the same numbers."),
        false, kLeastMemoryShare, 1, [](const RunSpec& run) { return run.memoryShare; },
        [](RunSpec& run, double value) { run.memoryShare = value; });
    addMore();
}

void RunForm::addPrecision() {
    addChoice("bf16", tr("Precision"),
              tr("What products are computed in while training. Weights are float32."),
              QStringLiteral("precision"), &RunSpec::precision, []() -> Options {
                  return {{QString(precisionName(Precision::Float32)), tr("float32")},
                          {QString(precisionName(Precision::BFloat16)), tr("bfloat16")}};
              });
}

/// Where training ends, and which of its states is the best one.
void RunForm::addStopRules() {
    addChoice("early-stopping", tr("Best by"),
              tr("The figure of the evaluations whose best checkpoint is kept."),
              QStringLiteral("bestMetric"), &RunSpec::bestMetric, [this] { return metrics(); });
    connect(&project_, &StudioProject::preparationChanged, this, &RunForm::refresh);
    addNumber(
        "early-stopping", tr("Early stop after"),
        tr("Evaluations without improvement that end the run; 0 is off."), true, 0, kLargestCount,
        [](const RunSpec& run) { return static_cast<double>(run.earlyStopPatience); },
        [](RunSpec& run, double value) { run.earlyStopPatience = static_cast<int64_t>(value); });
    addNumber(
        "early-stopping", tr("Least improvement"),
        tr("Improvements that are no larger do not put off the early stop."), false, 0,
        kLargestCount, [](const RunSpec& run) { return run.earlyStopMinDelta; },
        [](RunSpec& run, double value) { run.earlyStopMinDelta = value; });
    addNumber(
        "run", tr("Time limit in minutes"),
        tr("The run ends after the step that reaches it; pauses do not count; 0 is off."), false, 0,
        kLargestCount, [](const RunSpec& run) { return run.timeLimit / kSecondsOfAMinute; },
        [](RunSpec& run, double value) { run.timeLimit = value * kSecondsOfAMinute; });
}

/// The loss, what fits it, and what is chosen.
RunForm::Options RunForm::metrics() const {
    std::vector<std::string> keys{"loss"};
    if (const auto& preparation = project_.preparation())
        keys.insert(keys.end(), preparation->metrics.begin(), preparation->metrics.end());
    const std::string& chosen = project_.spec().run.bestMetric;
    if (std::ranges::find(keys, chosen) == keys.end()) keys.push_back(chosen);
    Options options;
    for (const std::string& key : keys) options.emplace_back(text(key), metricLabel(key));
    return options;
}

void RunForm::addChoice(const char* term, const QString& label, const QString& help,
                        const QString& name, std::string RunSpec::*choice,
                        std::function<Options()> options) {
    auto* box = explain(new QComboBox(this), term);
    box->setObjectName(name);
    box->setMaximumWidth(em(this, 9));
    addRow(label, help, box);
    connect(box, &QComboBox::activated, this, [this, box, label, choice] {
        TrainingSpec spec = project_.spec();
        spec.run.*choice = box->currentData().toString().toStdString();
        project_.edit(tr("Change %1").arg(label), spec);
    });
    fields_.push_back([box, options = std::move(options), choice](const RunSpec& run) {
        box->clear();
        for (const auto& [key, title] : options()) box->addItem(title, key);
        box->setCurrentIndex(box->findData(text(run.*choice)));
    });
}

void RunForm::addNumber(const char* term, const QString& label, const QString& help, bool integer,
                        double minimum, double maximum, std::function<double(const RunSpec&)> get,
                        std::function<void(RunSpec&, double)> set) {
    auto* field = new NumberEdit(integer ? NumberEdit::Kind::Integer : NumberEdit::Kind::Real,
                                 minimum, maximum, this);
    explain(field, term);
    field->setMaximumWidth(em(this, 9));
    addRow(label, help, field);
    const int mergeId = kMergeBase + static_cast<int>(fields_.size());
    connect(field, &NumberEdit::valueEdited, this,
            [this, label, set = std::move(set), mergeId](double value) {
                TrainingSpec spec = project_.spec();
                set(spec.run, value);
                project_.edit(tr("Change %1").arg(label), spec, mergeId);
            });
    fields_.push_back(
        [field, get = std::move(get)](const RunSpec& run) { field->setValue(get(run)); });
}

QLabel* RunForm::addRow(const QString& label, const QString& help, QWidget* field) {
    field->setAccessibleName(label);
    field->setAccessibleDescription(help);
    auto* caption = makeLabel(label, "", this);
    caption->setToolTip(help);
    caption->setBuddy(field);
    layout_->addRow(caption, field);
    return caption;
}

void RunForm::refresh() {
    for (const auto& show : fields_) show(project_.spec().run);
}

}  // namespace temper::ui
