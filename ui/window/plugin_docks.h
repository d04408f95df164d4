// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/plugins/plugin_loader.h"
#include "ui/docks/dock.h"

namespace temper::ui {

/// The panels of plugins as docks of the window; closed until the user opens them.
std::vector<DockInfo> pluginDocks(const std::vector<PluginReport>& plugins);

}  // namespace temper::ui
