// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

class LogModel;
class StudioProject;

/// What developers need to look into a fault, as Markdown: the program and what it runs on, the
/// model in numbers, the problems, the choices and the last lines of the log. No weights and no
/// data; the folder of the person's home is written as "~".
QString defectReport(const QWidget& window, const StudioProject& project, const LogModel& log);

}  // namespace temper::ui
