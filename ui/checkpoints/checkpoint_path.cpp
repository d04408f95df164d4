// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/checkpoints/checkpoint_path.h"

#include <QFileDialog>

#include "ui/translation/tr.h"

namespace temper::ui {
namespace {

constexpr int kDigits = 6;  // as in the names of a run's checkpoints

}  // namespace

QString checkpointFileName(const QString& model, int64_t step) {
    QString name = model;
    if (name.endsWith(QStringLiteral(".onnx"), Qt::CaseInsensitive)) name.chop(5);
    name.replace(QLatin1Char('/'), QLatin1Char('-'));
    if (name.isEmpty()) name = QStringLiteral("model");
    return QStringLiteral("%1-step-%2.ckpt")
        .arg(name, QString::number(qlonglong{step}).rightJustified(kDigits, QLatin1Char('0')));
}

/// An instance instead of getSaveFileName(): it asks before it replaces the file with the
/// extension.
QString askCheckpointPath(QWidget* parent, const QString& title, const QString& proposal) {
    QFileDialog dialog(parent, title, {}, tr("Checkpoints (*.ckpt);;All files (*)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("ckpt"));
    dialog.selectFile(proposal);
    return dialog.exec() == QDialog::Accepted ? dialog.selectedFiles().value(0) : QString();
}

}  // namespace temper::ui
