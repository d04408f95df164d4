// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

/// "digits-step-000120.ckpt": the name proposed for a checkpoint of this step. Characters that
/// separate folders are replaced.
QString checkpointFileName(const QString& model, int64_t step);

/// Lets a person name the file of a checkpoint, starting from `proposal`. A name without extension
/// gets ".ckpt". Returns: its path; empty if the dialog was cancelled.
QString askCheckpointPath(QWidget* parent, const QString& title, const QString& proposal);

}  // namespace temper::ui
