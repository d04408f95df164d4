// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/plugins/plugin_loader.h"

namespace temper::ui {

class MainWindow;

/// Says in the log what each plugin adds, and in a banner which ones are not loaded.
void announcePlugins(MainWindow& window, const std::vector<PluginReport>& plugins);

}  // namespace temper::ui
