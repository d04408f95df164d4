// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace temper::ui {

/// A path as shown. Inside an untitled document it starts at the document, whose folder is named
/// after a time and known to the program only: "runs/0001/last.ckpt".
QString pathText(const QString& path);

}  // namespace temper::ui
