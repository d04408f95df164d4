// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/runs/run_overlay.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <set>

#include "engine/runs/run_journal.h"
#include "ui/plots/plot_view.h"
#include "ui/project/studio_project.h"
#include "ui/run/curve_csv.h"
#include "ui/run/run_history.h"
#include "ui/run/run_model.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

/// So few points are marked, so that each is seen.
constexpr size_t kFewPoints = 40;

}  // namespace

RunOverlay::RunOverlay(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      metric_(new QComboBox(this)),
      plot_(new PlotView(tr("Compare"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    metric_->setAccessibleName(tr("Metric to compare"));
    metric_->setObjectName(QStringLiteral("overlayMetric"));
    plot_->setPlaceholder(tr("Select runs to see their curves together."));
    plot_->setCsvSource([this] { return csv(); });
    layout->addWidget(metric_);
    layout->addWidget(plot_, 1);
    connect(metric_, &QComboBox::currentIndexChanged, this, &RunOverlay::draw);
}

std::map<std::string, Curve> RunOverlay::curvesOf(const std::vector<RunEvent>& events) {
    std::map<std::string, Curve> curves;
    for (const RunEvent& event : events) {
        if (const auto* step = std::get_if<StepEvent>(&event.fact)) {
            const auto x = static_cast<double>(step->step);
            curves["loss"].append(x, step->loss);
            curves["learning_rate"].append(x, step->learningRate);
            curves["gradient_norm"].append(x, step->gradientNorm);
        } else if (const auto* eval = std::get_if<EvalEvent>(&event.fact)) {
            const auto x = static_cast<double>(eval->step);
            curves["validation_loss"].append(x, eval->loss);
            for (const auto& [name, value] : eval->metrics)
                if (name != "loss") curves[name].append(x, value);
        }
    }
    return curves;
}

void RunOverlay::showRuns(const std::vector<int64_t>& ids) {
    context_.project.tasks()->cancel(task_);
    std::vector<std::pair<QString, std::filesystem::path>> logs;
    for (const int64_t id : ids) {
        const StoredRun* run = context_.history.find(id);
        if (run == nullptr || logs.size() == kMostRuns) continue;
        logs.emplace_back(text(run->name),
                          runLogPath(context_.history.folderOf(*run).toStdString()));
    }
    task_ = context_.project.tasks()->run(
        tr("Reading runs"), tr("The log of a run could not be read"),
        [logs](std::stop_token) {
            std::vector<RunCurves> runs;
            for (const auto& [name, log] : logs)
                runs.push_back({name, curvesOf(readRunEvents(log))});
            return runs;
        },
        [this](std::vector<RunCurves> runs) { adopt(std::move(runs)); },
        [this](const Problem& problem) { emit context_.history.failed(problem); });
}

void RunOverlay::adopt(std::vector<RunCurves> runs) {
    task_ = 0;
    runs_ = std::move(runs);
    std::set<std::string> keys;
    for (const RunCurves& run : runs_)
        for (const auto& [key, curve] : run.curves) keys.insert(key);
    const QString chosen = metric_->currentData().toString();
    {
        const QSignalBlocker blocker(metric_);
        metric_->clear();
        for (const std::string& key : keys) metric_->addItem(metricLabel(key), text(key));
        const int before = metric_->findData(chosen);
        metric_->setCurrentIndex(before >= 0 ? before : metric_->findData(QStringLiteral("loss")));
    }
    draw();
}

void RunOverlay::draw() {
    const std::string key = metric_->currentData().toString().toStdString();
    plot_->clearSeries();
    int color = 0;
    for (const RunCurves& run : runs_) {
        const auto curve = run.curves.find(key);
        const bool isSparse =
            curve != run.curves.end() && curve->second.points().size() <= kFewPoints;
        // Runs keep their colours when another metric is chosen.
        const int series =
            plot_->addSeries(run.name, isSparse ? SeriesStyle::Marked : SeriesStyle::Line, color++);
        if (curve != run.curves.end()) plot_->setCurve(series, curve->second);
    }
    plot_->refresh();
}

std::string RunOverlay::csv() const {
    const std::string key = metric_->currentData().toString().toStdString();
    std::vector<std::pair<std::string, const Curve*>> columns;
    for (const RunCurves& run : runs_)
        if (const auto curve = run.curves.find(key); curve != run.curves.end())
            columns.emplace_back(run.name.toStdString(), &curve->second);
    return curvesToCsv("step", columns);
}

}  // namespace temper::ui
