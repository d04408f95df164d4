// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/actions/compare_actions.h"

#include <QFileDialog>
#include <QMainWindow>

#include "ui/checkpoints/checkpoint_diff_dialog.h"
#include "ui/checkpoints/compare_files_dialog.h"
#include "ui/widgets/open_window.h"
#include "ui/window/workspace.h"

namespace temper::ui {

CompareActions::CompareActions(const WindowContext& context) : ActionGroup(context) {
    needModel({add(QStringLiteral("model.compare"), MenuId::Model, tr("Compare weights with…"), {},
                   {}, [this] { askFile(); })});
    add(QStringLiteral("checkpoints.compare"), MenuId::Runs, tr("Compare weights…"),
        QStringLiteral("checkpoint"), {QKeySequence("Ctrl+Shift+D")}, [this] { askFiles(); });
}

void CompareActions::compare(const QString& first, const QString& second) {
    StudioProject& project = context_.work.project;
    auto* dialog =
        new CheckpointDiffDialog(CheckpointSide::file(first), CheckpointSide::file(second),
                                 *project.tasks(), &context_.window);
    dialog->setModel(project.model());
    openWindow(dialog);
}

void CompareActions::compareModelWith(const QString& path) {
    StudioProject& project = context_.work.project;
    const auto& model = project.model();
    if (!model) return;
    openWindow(new CheckpointDiffDialog(CheckpointSide::model(model->title, model->graph),
                                        CheckpointSide::file(path), *project.tasks(),
                                        &context_.window));
}

void CompareActions::askFiles() {
    auto* dialog = new CompareFilesDialog(&context_.window);
    connect(dialog, &CompareFilesDialog::chosen, this, &CompareActions::compare);
    openWindow(dialog);
}

void CompareActions::askFile() {
    const QString path = QFileDialog::getOpenFileName(
        &context_.window, tr("Choose a model or a checkpoint to compare with"), {},
        tr("Models and checkpoints (*.onnx *.ort *.ckpt checkpoint);;All files (*)"));
    if (!path.isEmpty()) compareModelWith(path);
}

}  // namespace temper::ui
