// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/train/checkpoint_pane.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/onnx/checkpoint_folder.h"
#include "ui/checkpoints/checkpoint_dialog.h"
#include "ui/checkpoints/checkpoint_list_model.h"
#include "ui/project/studio_project.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_model.h"
#include "ui/run/run_request.h"
#include "ui/run/training_actions.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/page.h"
#include "ui/widgets/placeholder.h"

namespace temper::ui {

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
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setAccessibleName(tr("Checkpoints"));
    layout->addWidget(table_, 1);
    layout->addWidget(empty_, 1);
    layout->addWidget(buildButtons());
    connect(table_, &QTableView::doubleClicked, this, [this] { view(selected()); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &CheckpointPane::refresh);
    connect(model_, &QAbstractItemModel::modelReset, this, &CheckpointPane::refresh);
    connect(&context_.training, &TrainingActions::changed, this, &CheckpointPane::refresh);
    refresh();
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
    for (QPushButton* button : {save_, load_, view_}) row->addWidget(button);
    layout->addLayout(row);
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
}

QString CheckpointPane::selected() const {
    const auto rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? QString() : model_->entry(rows.front().row()).path;
}

void CheckpointPane::askSave() {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save checkpoint"), QStringLiteral("checkpoint"));
    if (!path.isEmpty()) save(path);
}

void CheckpointPane::askLoad() {
    QString path = selected();
    if (path.isEmpty()) path = QFileDialog::getOpenFileName(this, tr("Load checkpoint"));
    if (!path.isEmpty()) load(path);
}

void CheckpointPane::chooseFolder() {
    TrainingSpec spec = context_.project.spec();
    const QString folder = QFileDialog::getExistingDirectory(
        this, tr("Folder for the checkpoints of runs"), text(spec.run.saveFolder));
    if (folder.isEmpty()) return;
    spec.run.saveFolder = folder.toStdString();
    context_.project.edit(tr("Choose checkpoint folder"), spec);
}

void CheckpointPane::save(const QString& path) {
    context_.controller.withSession(
        tr("The checkpoint could not be saved"),
        [file = path.toStdString()](TrainingSession& session) {
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
        return emit failed({tr("The checkpoint can't be loaded yet"),
                            startObstacle(context_.project).text,
                            tr("A checkpoint belongs to a model that is ready to train.")});
    context_.controller.prepareSession(
        makeRunRequest(context_.project, false), [this, path] { assign(path); },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::assign(const QString& path) {
    context_.controller.withSession(
        tr("The checkpoint could not be loaded"),
        [file = path.toStdString()](TrainingSession& session) {
            session.state().assign(loadCheckpoint(file));
            return session.state().optimizerState().step;
        },
        [this, path](int64_t step) {
            context_.run.addCheckpoint({step, tr("loaded"), path});
            context_.training.continueFromLoaded();
            emit loaded(step);
        },
        [this](const Problem& problem) { emit failed(problem); });
}

void CheckpointPane::view(const QString& path) {
    if (path.isEmpty()) return;
    auto* dialog = new CheckpointDialog(path, *context_.project.tasks(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

}  // namespace temper::ui
