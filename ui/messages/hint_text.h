// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace temper::ui {

/// A hint of the engine in the words of the window: it names buttons, fields and pages instead of
/// flags of the command line, which nobody can type here.
QString hintText(std::string_view hint);

}  // namespace temper::ui
