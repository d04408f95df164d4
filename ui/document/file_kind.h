// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

/// What a path that somebody opens or drops is.
enum class FileKind { Model, Checkpoint, Data };

/// Told from content and name. What is not known counts as a model: reading it explains more.
FileKind kindOfFile(const QString& path);

/// A checkpoint, or by its name a model: what weights are compared of.
bool mayHaveWeights(const QString& path);

}  // namespace temper::ui
