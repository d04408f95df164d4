// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

class StudioProject;

/// Asks for the folder that a project is to be saved in; empty: the person thought better of it.
QString askSavePlace(QWidget& window, const StudioProject& project);

}  // namespace temper::ui
