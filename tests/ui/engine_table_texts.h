// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <string>

namespace temper::ui {

/// Texts of the engine's tables that the window shows through engineText().
std::set<std::string> engineTableTexts();

}  // namespace temper::ui
