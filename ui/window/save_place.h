// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

class StudioProject;

/// Asks for the folder in which to save a project; empty: the user cancelled.
QString askSavePlace(QWidget& window, const StudioProject& project);

}  // namespace temper::ui
