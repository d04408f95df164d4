// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/run_figures.h"

#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/core/process_memory.h"
#include "ui/explain/explain.h"
#include "ui/run/run_model.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/card_grid.h"
#include "ui/widgets/metric_tile.h"

namespace temper::ui {
namespace {

constexpr int kMemoryMs = 1000;
/// In a row, if there is room for their texts; else in two.
constexpr int kAll = 7;
constexpr int kMinInRow = 4;
constexpr double kTileWidth = 7.2;  ///< em

QString none() { return QStringLiteral("–"); }

QString lossText(double value) { return decimalText(value, 'g', 4); }

/// "576 bytes" would be a long word.
QString bytes(size_t count) {
    constexpr size_t kMinBytes = 1024;
    return QLocale().formattedDataSize(static_cast<qint64>(std::max(count, kMinBytes)), 0,
                                       QLocale::DataSizeTraditionalFormat);
}

}  // namespace

RunFigures::RunFigures(RunModel& run, QWidget* parent) : QWidget(parent), run_(run) {
    build();
    memoryTimer_.setInterval(kMemoryMs);
    connect(&memoryTimer_, &QTimer::timeout, this, &RunFigures::showMemory);
    connect(&run_, &RunModel::updated, this, &RunFigures::refresh);
    connect(&run_, &RunModel::stateChanged, this, &RunFigures::refresh);
    refresh();
}

void RunFigures::build() {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* grid = new CardGrid(em(this, kTileWidth), kMinInRow, kAll, this);
    layout->addWidget(grid);
    const std::tuple<MetricTile**, QString, const char*> tiles[kAll] = {
        {&loss_, tr("Training loss"), "loss"},
        {&validation_, tr("Validation loss"), "validation"},
        {&metric_, tr("Metric"), "accuracy"},
        {&step_, tr("Step"), "step"},
        {&speed_, tr("Samples/s"), "data-wait"},
        {&time_, tr("Time left"), "epoch"},
        {&memory_, tr("Memory"), "recompute"},
    };
    for (const auto& [tile, caption, term] : tiles) {
        *tile = explain(new MetricTile(caption, this), term);
        grid->add(*tile);
    }
}

void RunFigures::refresh() {
    showLosses();
    showMetric();
    showProgress();
    const size_t planned = run_.lastStep() ? run_.lastStep()->arenaBytes : 0;
    const size_t before = std::exchange(planned_, planned);
    if (planned_ != before || run_.isActive() != memoryTimer_.isActive()) showMemory();
    if (run_.isActive() == memoryTimer_.isActive()) return;
    run_.isActive() ? memoryTimer_.start() : memoryTimer_.stop();
}

void RunFigures::showLosses() {
    const auto& step = run_.lastStep();
    loss_->setValue(step ? lossText(run_.currentSmoothedLoss()) : none(),
                    {step ? tr("last %1").arg(lossText(step->loss)) : QString()});
    const auto best = run_.bestValidationLoss();
    const auto& eval = run_.lastEval();
    QStringList lowest;
    if (best) lowest = {tr("lowest %1").arg(lossText(*best)), tr("min. %1").arg(lossText(*best))};
    validation_->setValue(eval ? lossText(eval->loss) : none(), lowest);
}

void RunFigures::showMetric() {
    metric_->setValue(none());
    const auto& eval = run_.lastEval();
    if (!eval || eval->metrics.empty()) return;
    const auto accuracy = eval->metrics.find("accuracy");
    const auto& metric = accuracy != eval->metrics.end() ? *accuracy : *eval->metrics.begin();
    metric_->setCaption(metricLabel(metric.first));
    metric_->setValue(metricText(metric.first, metric.second),
                      {tr("on %Ln samples", nullptr, static_cast<int>(eval->samples)),
                       tr("%Ln samples", nullptr, static_cast<int>(eval->samples))});
}

void RunFigures::showProgress() {
    const auto& step = run_.lastStep();
    QStringList total, wait, most;
    if (run_.totalSteps() > 0) {
        const QString steps = integerText(run_.totalSteps());
        const QString epoch = decimalText(step ? step->epoch : 0, 'f', 1);
        total = {tr("of %1 · epoch %2").arg(steps, epoch), tr("of %1 · ep. %2").arg(steps, epoch),
                 tr("of %1").arg(steps)};
    }
    if (step) {
        const QString share = decimalText(100 * run_.dataWaitShare(), 'f', 0);
        wait = {tr("data wait %1 %").arg(share), tr("wait %1 %").arg(share)};
    }
    const auto remaining = run_.remaining();
    if (remaining) {
        const QString time = durationText(remaining->maximumSeconds);
        most = {tr("up to %1").arg(time), tr("≤ %1").arg(time)};
    }
    step_->setValue(step ? integerText(run_.step()) : none(), total);
    speed_->setValue(step ? integerText(static_cast<int64_t>(run_.samplesPerSecond())) : none(),
                     wait);
    time_->setValue(remaining ? durationText(remaining->minimumSeconds) : none(), most);
}

void RunFigures::showMemory() {
    if (planned_ == 0) return memory_->setValue(none());
    memory_->setValue(bytes(residentBytes()),
                      {tr("planned %1").arg(bytes(planned_)), tr("plan %1").arg(bytes(planned_))});
}

}  // namespace temper::ui
