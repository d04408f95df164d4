// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace temper::ui {

class LogModel;
class StudioProject;

/// The information that developers need to investigate a fault, as Markdown: the program and its
/// platform, the model in numbers, the problems, the choices and the last lines of the log. No
/// weights and no data; the user's home folder is written as "~".
QString defectReport(const QWidget& window, const StudioProject& project, const LogModel& log);

}  // namespace temper::ui
