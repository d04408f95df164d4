// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

/// Folders "class 0", "class 1", ... with pictures of discs, squares, triangles, ... of 32 x 24
/// pixels, all different.
void writePictureFolder(const QString& folder, int classes, int perClass);

}  // namespace temper::ui
