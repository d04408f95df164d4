// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/schedule_preview.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/core/error.h"
#include "engine/training/optimizers/lr_schedule.h"
#include "ui/document/planned_steps.h"
#include "ui/document/studio_project.h"
#include "ui/plots/plot_handles.h"
#include "ui/plots/plot_view.h"
#include "ui/run/curve.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int64_t kAssumedSteps = 1000;
/// More points than pixels add nothing.
constexpr int64_t kMaxPoints = 2000;

}  // namespace

SchedulePreview::SchedulePreview(StudioProject& project, QWidget* parent)
    : QWidget(parent),
      project_(project),
      plot_(new PlotView(tr("Planned learning rate"), this)),
      remark_(makeLabel({}, "muted", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(em(this, 0.3));
    plot_->setObjectName(QStringLiteral("schedulePreview"));
    plot_->setFixedHeight(em(this, 12));
    plot_->addSeries(tr("Learning rate"), SeriesStyle::Line, 0);
    remark_->setObjectName(QStringLiteral("scheduleRemark"));
    remark_->setWordWrap(true);
    layout->addWidget(plot_);
    layout->addWidget(remark_);
    connectHandles();
}

int64_t SchedulePreview::plannedSteps() const {
    const RunSpec& run = project_.spec().run;
    if (run.steps > 0) return run.steps;
    const auto& loaded = project_.data();
    if (!loaded) return 0;
    const auto& preparation = project_.preparation();
    return temper::ui::plannedSteps(run, loaded->training()->size(),
                                    preparation ? preparation->fixedBatch : std::nullopt);
}

int64_t SchedulePreview::drawnSteps() const {
    const int64_t planned = plannedSteps();
    return planned > 0 ? planned : kAssumedSteps;
}

void SchedulePreview::refresh() {
    if (plot_->handles()->isDragging()) return;  // drop() and cancelled() refresh again
    const RunSpec& run = project_.spec().run;
    try {
        const bool isPlanned = plannedSteps() > 0;
        const int64_t steps = drawnSteps();
        draw(run, steps);
        const int count = static_cast<int>(steps);
        const bool waits =
            makeLrSchedule(run.schedule, run.learningRate, steps)->needsEvaluations();
        remark_->setText(
            waits       ? tr("It falls when evaluations stop improving.")
            : isPlanned ? tr("%Ln steps in this run. Rings can be dragged.", nullptr, count)
                        : tr("Drawn for %Ln steps; without data, their number is not known yet.",
                             nullptr, count));
    } catch (const Error& error) {
        remark_->setText(QString::fromUtf8(error.what()));
        plot_->setCurve(0, {});
        plot_->handles()->setHandles({});
    }
    plot_->showEverything();
}

void SchedulePreview::draw(const RunSpec& run, int64_t steps) {
    const auto schedule = makeLrSchedule(run.schedule, run.learningRate, steps);
    const int64_t stride = std::max<int64_t>(1, steps / kMaxPoints);
    Curve curve;
    for (int64_t step = 0; step < steps; step += stride)
        curve.append(static_cast<double>(step + 1), schedule->rateAt(step));
    plot_->setCurve(0, curve);
    handles_ = scheduleHandles(run, steps);
    std::vector<PlotHandle> rings;
    for (const ScheduleHandle& handle : handles_)
        rings.push_back(
            {handle.step + 1, handle.rate, !handle.stepKey.empty(), !handle.rateKey.empty()});
    plot_->handles()->setHandles(std::move(rings));
}

void SchedulePreview::connectHandles() {
    PlotHandles* handles = plot_->handles();
    connect(handles, &PlotHandles::grabbed, this, [this] {
        before_ = dragged_ = project_.spec().run;
        dragSteps_ = drawnSteps();
    });
    connect(handles, &PlotHandles::moved, this, &SchedulePreview::drag);
    connect(handles, &PlotHandles::dropped, this, &SchedulePreview::drop);
    connect(handles, &PlotHandles::cancelled, this, &SchedulePreview::refresh);
}

void SchedulePreview::drag(int handle, std::optional<double> x, std::optional<double> y) {
    const ScheduleHandle grabbed = handles_.at(static_cast<size_t>(handle));
    if (x) *x -= 1;  // drawn at the step's number, which starts at 1
    dragged_ = dragged(before_, grabbed, dragSteps_, x, y);
    draw(dragged_, dragSteps_);
    remark_->setText(handleText(dragged_, grabbed));
    plot_->refresh();
}

void SchedulePreview::drop(int handle) {
    TrainingSpec spec = project_.spec();
    const QString what = handleText(dragged_, handles_.at(static_cast<size_t>(handle)));
    // Changes made meanwhile, by undo or another project, must not be overwritten.
    if (spec.run != before_ || dragged_ == before_) return refresh();
    spec.run.schedule = dragged_.schedule;
    spec.run.learningRate = dragged_.learningRate;
    project_.edit(tr("Drag the schedule to %1").arg(what), spec);
}

}  // namespace temper::ui
