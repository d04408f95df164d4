// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/status_strip.h"

#include <QAction>
#include <QEvent>
#include <QLabel>
#include <QLayout>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QStatusBar>
#include <algorithm>
#include <thread>

#include "engine/core/process_memory.h"
#include "ui/checks/parameter_counts.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_model.h"
#include "ui/run/training_actions.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/elided_label.h"

namespace temper::ui {
namespace {

constexpr int kTickMs = 1000;
constexpr int kPatienceMs = 1000;
constexpr double kMinNameWidth = 10;  ///< in lines of text
constexpr double kTextMargin = 0.6;   ///< before each text and after the last one, in lines
constexpr int kRunMs = 200;           ///< figures that change faster can't be read
constexpr int64_t kMillion = 1'000'000;

QString countText(int64_t count) {
    if (count < kMillion) return integerText(count);
    return StatusStrip::tr("%1 M").arg(
        decimalText(static_cast<double>(count) / static_cast<double>(kMillion), 'f', 1));
}

QString loadText(size_t bytes, double share) {
    return StatusStrip::tr("%1 · CPU %2 %")
        .arg(QLocale().formattedDataSize(static_cast<qint64>(bytes), 0,
                                         QLocale::DataSizeTraditionalFormat),
             decimalText(100 * share, 'f', 0));
}

}  // namespace

StatusStrip::StatusStrip(StudioProject& project, RunModel& run, TrainingActions& training,
                         QStatusBar* bar)
    : QObject(bar), project_(project), run_(run), training_(training), bar_(bar) {
    build(bar);
    bar->installEventFilter(this);
    patience_.setSingleShot(true);
    patience_.setInterval(kPatienceMs);
    tick_.setTimerType(Qt::VeryCoarseTimer);
    connect(&patience_, &QTimer::timeout, this, &StatusStrip::showWork);
    connect(&tick_, &QTimer::timeout, this, &StatusStrip::showLoad);
    connect(cancel_, &QPushButton::clicked, this, &StatusStrip::endWork);
    connect(&project_, &StudioProject::modelChanged, this, &StatusStrip::showModel);
    connect(&project_, &StudioProject::specChanged, this, &StatusStrip::showParameters);
    connect(&project_, &StudioProject::preparationChanged, this, &StatusStrip::showParameters);
    connect(project_.tasks(), &TaskRunner::busyChanged, this, &StatusStrip::showWork);
    connect(&run_, &RunModel::stateChanged, this, &StatusStrip::showWork);
    connect(&run_, &RunModel::updated, this, [this] {
        if (!shown_.isValid() || shown_.elapsed() >= kRunMs) showWork();
    });
    clock_.start();
    processor_ = std::clock();
    tick_.start(kTickMs);
    showModel();
    showLoad();
    showWork();
}

void StatusStrip::build(QStatusBar* bar) {
    const int margin = em(bar, kTextMargin);
    bar->setContentsMargins(0, 0, margin, 0);
    const auto prepared = [margin](QLabel* label, const char* name) {
        label->setObjectName(QLatin1String(name));
        label->setContentsMargins(margin, 0, 0, 0);
        return label;
    };
    bar->addWidget(model_ = prepared(new ElidedLabel(bar), "statusModel"), 1);
    for (const auto& [label, name] : {std::pair(&parameters_, "statusParameters"),
                                      {&load_, "statusLoad"},
                                      {&work_, "statusWork"}})
        bar->addPermanentWidget(*label = prepared(new QLabel(bar), name));
    // Figures that change each second must not move what is beside them.
    constexpr size_t kMuch = size_t{1023} << 20;
    load_->setMinimumWidth(margin + load_->fontMetrics().horizontalAdvance(loadText(kMuch, 1)));
    progress_ = new QProgressBar(bar);
    progress_->setObjectName(QStringLiteral("statusProgress"));
    progress_->setFixedWidth(em(bar, 6));
    progress_->setTextVisible(false);
    cancel_ = new QPushButton(bar);
    cancel_->setObjectName(QStringLiteral("statusCancel"));
    bar->addPermanentWidget(progress_);
    bar->addPermanentWidget(cancel_);
}

bool StatusStrip::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitToWidth();
    return QObject::eventFilter(watched, event);
}

/// With too little room, what matters least goes first; the name is in the title of the window,
/// too.
void StatusStrip::fitToWidth() {
    const int spacing = bar_->layout()->spacing();
    const auto widthOf = [spacing](const QWidget* widget) {
        return std::max(widget->sizeHint().width(), widget->minimumWidth()) + spacing;
    };
    // As wide as its longest text so far: what is beside it must not come and go.
    widestWork_ = work_->isHidden() ? 0 : std::max(widestWork_, work_->sizeHint().width());
    int room = bar_->contentsRect().width() - em(bar_, 1) -
               (work_->isHidden() ? 0 : widestWork_ - work_->sizeHint().width());
    for (const QWidget* widget : bar_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
        if (!widget->isHidden() && widget != model_ && widget != parameters_ && widget != load_)
            room -= widthOf(widget);
    const auto show = [&room](QWidget* widget, bool isWanted, int width) {
        const bool fits = isWanted && width <= room;
        if (fits) room -= width;
        widget->setVisible(fits);
    };
    show(model_, true, std::min(widthOf(model_), em(bar_, kMinNameWidth)));
    show(parameters_, project_.model() != nullptr, widthOf(parameters_));
    show(load_, true, widthOf(load_));
}

void StatusStrip::showModel() {
    model_->setText(!project_.model()   ? tr("No model is open")
                    : project_.lesson() ? project_.model()->title
                                        : text(project_.model()->path));
    model_->setToolTip(model_->text());
    showParameters();
}

void StatusStrip::showParameters() {
    fitToWidth();
    if (!project_.model()) return;
    const ParameterCounts counts = trainingCounts(project_);
    parameters_->setText(
        tr("%1 train · %2 frozen")
            .arg(countText(counts.trainedElements), countText(counts.frozenElements)));
    parameters_->setToolTip(tr("Trained and frozen parameter values"));
}

/// The processor load since the last call, as a share of all cores.
void StatusStrip::showLoad() {
    const double seconds = static_cast<double>(clock_.restart()) / 1000;
    const std::clock_t now = std::clock();
    const double used = static_cast<double>(now - std::exchange(processor_, now)) / CLOCKS_PER_SEC;
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    const double share = seconds > 0 ? std::clamp(used / seconds / cores, 0.0, 1.0) : 0;
    load_->setText(loadText(residentBytes(), share));
    load_->setToolTip(tr("Memory and CPU share of the program"));
}

// ---- what is being done ------------------------------------------------------------------------

void StatusStrip::showWork() {
    shown_.start();
    const RunningTask task = project_.tasks()->shown();
    if (task.id != std::exchange(task_, task.id) && task.id != 0) patience_.start();
    // A name that appears and disappears with every short job would push the others back and forth.
    const bool isLong = task.id != 0 && !patience_.isActive();
    work_->setVisible(run_.isActive() || isLong);
    progress_->setVisible(run_.isActive() || task.id != 0);
    // A button whose name changes under the pointer would be a trap: the run comes first.
    run_.isActive() ? showRun() : showTask();
    cancel_->setVisible(run_.isActive() || (isLong && task.canBeCancelled));
    fitToWidth();
}

void StatusStrip::showRun() {
    const auto remaining = run_.remaining();
    QString figures =
        tr("Step %1 of %2").arg(integerText(run_.step()), integerText(run_.totalSteps()));
    if (remaining) {
        const QString least = durationText(remaining->minimumSeconds);
        const QString most = durationText(remaining->maximumSeconds);
        figures = least == most ? tr("%1 · %2 left").arg(figures, most)
                                : tr("%1 · %2 to %3 left").arg(figures, least, most);
    }
    work_->setText(figures);
    progress_->setRange(0, static_cast<int>(run_.totalSteps()));
    progress_->setValue(static_cast<int>(run_.step()));
    progress_->setAccessibleName(tr("Progress of training"));
    cancel_->setText(tr("Stop"));
    cancel_->setAccessibleName(tr("Stop training"));
    cancel_->setEnabled(training_.stop()->isEnabled());
}

void StatusStrip::showTask() {
    const RunningTask task = project_.tasks()->shown();
    work_->setText(task.id != 0 ? tr("%1…").arg(task.title) : QString());
    progress_->setRange(0, 0);
    progress_->setAccessibleName(tr("Work in progress"));
    cancel_->setText(tr("Cancel"));
    cancel_->setAccessibleName(tr("Cancel: %1").arg(task.title));
    cancel_->setEnabled(true);
}

void StatusStrip::endWork() {
    if (run_.isActive()) return training_.stop()->trigger();
    project_.tasks()->interrupt(task_);
}

}  // namespace temper::ui
