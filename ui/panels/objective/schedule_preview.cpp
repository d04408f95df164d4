// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/objective/schedule_preview.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/core/error.h"
#include "engine/training/lr_schedule.h"
#include "engine/training/step_plan.h"
#include "ui/plots/plot_view.h"
#include "ui/project/studio_project.h"
#include "ui/run/curve.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"

namespace temper::ui {
namespace {

constexpr int64_t kAssumedSteps = 1000;
/// More points than a plot has pixels show nothing more.
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
    remark_->setWordWrap(true);
    layout->addWidget(plot_);
    layout->addWidget(remark_);
}

int64_t SchedulePreview::plannedSteps() const {
    const RunSpec& run = project_.spec().run;
    if (run.steps > 0) return run.steps;
    const auto& loaded = project_.data();
    if (!loaded || run.batchSize < 1) return 0;
    const int64_t samples = loaded->training()->size();
    return StepPlan::of(run, (samples + run.batchSize - 1) / run.batchSize).totalSteps;
}

void SchedulePreview::refresh() {
    const RunSpec& run = project_.spec().run;
    Curve curve;
    try {
        const int64_t planned = plannedSteps();
        const int64_t steps = planned > 0 ? planned : kAssumedSteps;
        const auto schedule = makeLrSchedule(run.schedule, run.learningRate, steps);
        const int64_t stride = std::max<int64_t>(1, steps / kMaxPoints);
        for (int64_t step = 0; step < steps; step += stride)
            curve.append(static_cast<double>(step + 1), schedule->rateAt(step));
        const int count = static_cast<int>(steps);
        remark_->setText(schedule->needsEvaluations()
                             ? tr("It falls when evaluations stop getting better.")
                         : planned > 0 ? tr("%Ln steps in this run.", nullptr, count)
                                       : tr("Drawn for %Ln steps; without data their number is "
                                            "not known yet.",
                                            nullptr, count));
    } catch (const Error& error) {
        remark_->setText(QString::fromUtf8(error.what()));
    }
    plot_->setCurve(0, curve);
    plot_->showEverything();
}

}  // namespace temper::ui
