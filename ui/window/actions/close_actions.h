// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/window/actions/action_group.h"

namespace temper::ui {

/// Closes the project.
class CloseActions : public ActionGroup {
    Q_OBJECT
public:
    explicit CloseActions(const WindowContext& context);
};

}  // namespace temper::ui
