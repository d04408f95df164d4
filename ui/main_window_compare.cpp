// SPDX-License-Identifier: GPL-3.0-or-later
// Of MainWindow: weights side by side.
#include <QFileDialog>

#include "ui/checkpoints/checkpoint_diff_dialog.h"
#include "ui/main_window.h"
#include "ui/widgets/open_window.h"

namespace temper::ui {

void MainWindow::compareWeights(const QString& first, const QString& second) {
    auto* dialog = new CheckpointDiffDialog(CheckpointSide::file(first),
                                            CheckpointSide::file(second), *project_.tasks(), this);
    dialog->setModel(project_.model());
    openWindow(dialog);
}

void MainWindow::askCompare() {
    const QStringList paths =
        QFileDialog::getOpenFileNames(this, tr("Choose two checkpoints or models to compare"));
    if (paths.size() == 2) return compareWeights(paths[0], paths[1]);
    if (!paths.isEmpty())
        report({tr("Weights are compared in pairs"),
                tr("%n files were chosen; expected two.", nullptr, static_cast<int>(paths.size())),
                tr("Hold Ctrl to choose the second file.")});
}

void MainWindow::askCompareModel() {
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Choose a model or a checkpoint to compare with"), {},
        tr("Models and checkpoints (*.onnx *.ort *.ckpt checkpoint);;All files (*)"));
    if (!path.isEmpty()) compareModelWith(path);
}

void MainWindow::compareModelWith(const QString& path) {
    const auto& model = project_.model();
    if (!model) return;
    openWindow(new CheckpointDiffDialog(CheckpointSide::model(model->title, model->graph),
                                        CheckpointSide::file(path), *project_.tasks(), this));
}

}  // namespace temper::ui
