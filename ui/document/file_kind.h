// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

/// The kind of an opened or dropped path.
enum class FileKind { Model, Checkpoint, Data };

/// Detects the kind by content and name. Unknown files count as models: the error of reading them
/// explains more.
FileKind kindOfFile(const QString& path);

/// A checkpoint, or a model by its name: files whose weights can be compared.
bool mayHaveWeights(const QString& path);

}  // namespace temper::ui
