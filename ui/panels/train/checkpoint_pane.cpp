// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/checkpoint_pane.h"
#include "ui/checks/start_obstacle.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSlider>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "engine/onnx/checkpoint_folder.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/checkpoints/checkpoint_diff_dialog.h"
#include "ui/checkpoints/checkpoint_list_model.h"
#include "ui/checkpoints/checkpoint_path.h"
#include "ui/checkpoints/checkpoint_remark.h"
#include "ui/commands/activity.h"
#include "ui/document/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/run/training_actions.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/translation/number_text.h"
#include "ui/widgets/open_window.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {
namespace {

/// The result of loading a readable file.
struct Loaded {
    int64_t step = 0;
    Problem misfit;  ///< empty: everything was restored
    Problem remark;  ///< why it may belong to another model; empty if nothing speaks for it
};

}  // namespace

CheckpointPane::CheckpointPane(const PanelContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      model_(new CheckpointListModel(context.run, this)),
      table_(makeTable(model_, this)),
      empty_(new Placeholder(
          QStringLiteral("checkpoint"),
          tr("No checkpoints yet. Save the current state at any time, also while training."), {},
          this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, em(this, 0.6), 0, 0);
    table_->setObjectName(QStringLiteral("checkpointTable"));
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setAccessibleName(tr("Checkpoints"));
    layout->addWidget(buildTimeline());
    layout->addWidget(table_, 1);
    layout->addWidget(empty_, 1);
    layout->addWidget(buildButtons());
    connect(table_, &QTableView::doubleClicked, this, [this] { view(selected()); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CheckpointPane::refresh);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CheckpointPane::refreshTimeline);
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        refresh();
        refreshTimeline();
    });
    connect(&context_.training, &TrainingActions::changed, this, &CheckpointPane::refresh);
    refresh();
    refreshTimeline();
}

QWidget* CheckpointPane::buildButtons() {
    auto* pane = new QWidget(this);
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    save_ = new QPushButton(themedIcon(QStringLiteral("save")), tr("Save…"), pane);
    load_ = new QPushButton(themedIcon(QStringLiteral("open")), tr("Load…"), pane);
    view_ = new QPushButton(themedIcon(QStringLiteral("search")), tr("View"), pane);
    save_->setToolTip(tr("Write the current state to a checkpoint file"));
    load_->setToolTip(tr("Continue from the selected checkpoint, or from a file"));
    compare_ = new QPushButton(themedIcon(QStringLiteral("chart")), tr("Compare"), pane);
    save_->setObjectName(QStringLiteral("saveCheckpoint"));
    compare_->setObjectName(QStringLiteral("compareCheckpoints"));
    compare_->setToolTip(tr("Compare two selected checkpoints, or one with its predecessor"));
    auto* second = new QHBoxLayout;
    for (QPushButton* button : {save_, load_}) row->addWidget(button);
    for (QPushButton* button : {view_, compare_}) second->addWidget(button);
    connect(compare_, &QPushButton::clicked, this, &CheckpointPane::compareSelected);
    layout->addLayout(row);
    layout->addLayout(second);
    auto* folder = new QPushButton(tr("Keep last and best in a folder…"), pane);
    layout->addWidget(folder);
    connect(save_, &QPushButton::clicked, this, &CheckpointPane::askSave);
    connect(load_, &QPushButton::clicked, this, &CheckpointPane::askLoad);
    connect(view_, &QPushButton::clicked, this, [this] { view(selected()); });
    connect(folder, &QPushButton::clicked, this, &CheckpointPane::chooseFolder);
    return pane;
}

void CheckpointPane::refresh() {
    const bool any = model_->rowCount() > 0;
    table_->setVisible(any);
    empty_->setVisible(!any);
    save_->setEnabled(context_.controller.hasSession());
    load_->setEnabled(context_.project.model() && !context_.run.isActive());
    view_->setEnabled(!selected().isEmpty());
    const auto rows = table_->selectionModel()->selectedRows();
    compare_->setEnabled(rows.size() == 2 ||
                         (rows.size() == 1 && rows.front().row() + 1 < model_->rowCount()));
}

QString CheckpointPane::selected() const {
    const auto rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? QString() : model_->entry(rows.front().row()).path;
}

/// From the first checkpoint to the last; the table has the last one on top.
QWidget* CheckpointPane::buildTimeline() {
    timelineRow_ = new QWidget(this);
    auto* row = new QHBoxLayout(timelineRow_);
    row->setContentsMargins(0, 0, 0, 0);
    timeline_ = new QSlider(Qt::Horizontal, timelineRow_);
    timeline_->setObjectName(QStringLiteral("checkpointTimeline"));
    timeline_->setAccessibleName(tr("Checkpoints over time"));
    timeline_->setTickPosition(QSlider::TicksBelow);
    timeline_->setPageStep(1);
    moment_ = makeLabel({}, "muted", timelineRow_);
    row->addWidget(timeline_, 1);
    row->addWidget(moment_);
    connect(timeline_, &QSlider::valueChanged, this,
            [this](int value) { table_->selectRow(model_->rowCount() - 1 - value); });
    return timelineRow_;
}

void CheckpointPane::refreshTimeline() {
    const int count = model_->rowCount();
    timelineRow_->setVisible(count > 1);
    const auto rows = table_->selectionModel()->selectedRows();
    const int row = rows.isEmpty() ? 0 : rows.front().row();
    const QSignalBlocker blocker(timeline_);
    timeline_->setRange(0, std::max(0, count - 1));
    if (count == 0) return;
    timeline_->setValue(count - 1 - row);
    const CheckpointEntry& entry = model_->entry(row);
    const int64_t perEpoch = context_.run.started().stepsPerEpoch;
    moment_->setText(perEpoch > 0 ? tr("step %1 · epoch %2")
                                        .arg(entry.step)
                                        .arg(decimalText(static_cast<double>(entry.step) /
                                                             static_cast<double>(perEpoch),
                                                         'f', 1))
                                  : tr("step %1").arg(entry.step));
}

void CheckpointPane::compareSelected() {
    const auto rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty()) return;
    const int later = std::min(rows.front().row(), rows.back().row());
    const int earlier =
        rows.size() == 2 ? std::max(rows.front().row(), rows.back().row()) : later + 1;
    if (earlier >= model_->rowCount()) return;
    showCompared(CheckpointSide::file(model_->entry(earlier).path),
                 CheckpointSide::file(model_->entry(later).path));
}

void CheckpointPane::compareWithState(const QString& path) {
    context_.controller.withSession(
        tr("The checkpoints could not be compared"),
        [](TrainingSession& session) {
            return std::make_shared<const CheckpointFile>(session.state().toFile(false));
        },
        [this, path](const std::shared_ptr<const CheckpointFile>& state) {
            showCompared({tr("This model"), [state] { return NamedWeights{*state}; }},
                         CheckpointSide::file(path));
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::showCompared(const CheckpointSide& first, const CheckpointSide& second) {
    auto* dialog = new CheckpointDiffDialog(first, second, *context_.project.tasks(), window());
    dialog->setModel(context_.project.model());
    openWindow(dialog);
}

void CheckpointPane::askSave() {
    // A checkpoint that was loaded has a step of its own.
    context_.controller.withSession(
        tr("The checkpoint could not be saved"),
        [](TrainingSession& session) { return session.state().optimizerState().step; },
        [this](int64_t step) {
            const QString path = askCheckpointPath(
                this, tr("Save checkpoint"), checkpointFileName(context_.project.name(), step));
            if (!path.isEmpty()) save(path);
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::askLoad() {
    QString path = selected();
    if (path.isEmpty()) path = QFileDialog::getOpenFileName(this, tr("Load checkpoint"));
    if (!path.isEmpty()) load(path);
}

void CheckpointPane::chooseFolder() {
    TrainingSpec spec = context_.project.spec();
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Folder for run checkpoints"),
                                                             text(spec.run.saveFolder));
    if (folder.isEmpty()) return;
    spec.run.saveFolder = folder.toStdString();
    context_.project.edit(tr("Choose checkpoint folder"), spec);
}

void CheckpointPane::save(const QString& path) {
    context_.controller.withSession(
        tr("The checkpoint could not be saved"),
        [file = path.toStdString()](TrainingSession& session) {
            keepModelFingerprint(session);
            session.state().save(file, true);
            return session.state().optimizerState().step;
        },
        [this, path](int64_t step) {
            context_.run.addCheckpoint({step, tr("saved"), path});
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::load(const QString& path) {
    const auto& preparation = context_.project.preparation();
    if (context_.run.isActive()) return;
    if (!preparation || !preparation->artifacts)
        return emit failed(
            {tr("The checkpoint can't be loaded yet"), startObstacle(context_.project).text,
             tr("A checkpoint can only be loaded into a model that is ready to train.")});
    context_.controller.prepareSession(
        makeRunRequest(context_.project, false), [this, path] { assign(path); },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::assign(const QString& path) {
    context_.controller.withSession(
        tr("The checkpoint could not be loaded"),
        [file = path.toStdString(),
         title = tr("The checkpoint does not fit")](TrainingSession& session) {
            const CheckpointFile content = loadCheckpoint(file);
            Loaded loaded;
            try {
                session.state().assign(content);
                loaded.remark = remarkOnCheckpoint(session.artifacts(), session.state());
            } catch (const Error&) {
                loaded.misfit = problemFrom(std::current_exception(), title);
            }
            loaded.step = session.state().optimizerState().step;
            return loaded;
        },
        [this, path](const Loaded& loaded) {
            if (!loaded.misfit.isEmpty()) return emit misfit(loaded.misfit, path);
            adopt(loaded.step, path, loaded.remark);
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::loadMatching(const QString& path) {
    context_.controller.withSession(
        tr("The checkpoint could not be loaded"),
        [file = path.toStdString()](TrainingSession& session) {
            session.state().assignMatching(loadCheckpoint(file));
            return session.state().optimizerState().step;
        },
        [this, path](int64_t step) { adopt(step, path, {}); },
        [this](const Problem& problem) { emit failed(problem); });
}

/// The curves are rewound to a checkpoint of their own run.
void CheckpointPane::adopt(int64_t step, const QString& path, const Problem& remark) {
    const auto& known = context_.run.checkpoints();
    const bool isOfRun = std::ranges::any_of(
        known, [&](const CheckpointEntry& entry) { return entry.path == path && entry.isOfRun; });
    if (isOfRun && step < context_.run.step()) {
        const RunEvent event{0, RolledBackEvent{step, context_.run.step()}};
        context_.run.apply({&event, 1});
    }
    context_.run.addCheckpoint({step, tr("loaded"), path, isOfRun});
    context_.training.continueFromLoaded();
    emit Activity::of(context_.navigator).acted(QStringLiteral("load checkpoint"));
    emit loaded(step, remark);
}

void CheckpointPane::view(const QString& path) {
    if (path.isEmpty()) return;
    auto* dialog = new CheckpointDialog(path, *context_.project.tasks(), window());
    dialog->setModel(context_.project.model());
    openWindow(dialog);
    emit Activity::of(context_.navigator).acted(QStringLiteral("view checkpoint"));
}

}  // namespace temper::ui
