// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "engine/plugins/plugin_loader.h"

namespace temper::ui {

class LogModel;
class Messages;

/// Says in the log what each plugin adds, and in a banner which ones are not loaded.
void announcePlugins(Messages& messages, LogModel& log, const std::vector<PluginReport>& plugins);

}  // namespace temper::ui
