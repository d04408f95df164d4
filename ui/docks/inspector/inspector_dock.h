// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/docks/dock.h"

namespace temper::ui {

/// Details of the selection: PanelContext::inspector, into which the pages write and which is
/// therefore created before them.
DockInfo inspectorDock();

}  // namespace temper::ui
